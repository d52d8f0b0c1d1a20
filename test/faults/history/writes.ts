import { stateOfWrite, type BucketStates } from './states.js';
import {
  describeOperation,
  type BodyId,
  type DeleteOperation,
  type Instant,
  type KeyOperation,
  type PutOperation,
} from './operation.js';

/**
 * One write and the entry that it makes. Bodies are unique, so that whatever shows a body or an ETag
 * names its write; a delete marker is known by its version id alone.
 */
export interface Write {
  readonly kind: 'version' | 'delete-marker';
  readonly body: BodyId | undefined;
  /** As its writer was told, or as it was seen first; undefined: nobody knows. */
  version: string | undefined;
  /** Of a write without a version id: the bucket may have made a `null` version of it. */
  readonly mayBeNull: boolean;
  readonly start: Instant;
  /** It has happened by then: acknowledged, or seen to be firm. Infinity: perhaps it never does. */
  doneBy: Instant;
  /** The same at the key itself, where readers without a version id look: never before. */
  shownBy: Instant;
  /** It is not there any more from then on: removal acknowledged, or found missing. */
  goneBy: Instant;
  /** The same at the key itself: removal acknowledged. */
  goneAtKeyBy: Instant;
  /** When somebody had seen it, firm or not. Infinity: nobody has. */
  firstSeen: Instant;
  readonly label: string;
}

/** A DELETE of a version id; of `null` also what deletes in a bucket that was never versioned. */
export interface Removal {
  readonly version: string;
  readonly start: Instant;
  readonly doneBy: Instant;
}

/** The writes and removals of a key, whether they are seen or not. */
export interface KeyWrites {
  readonly writes: Write[];
  readonly removals: readonly Removal[];
  readonly refusedBodies: ReadonlySet<BodyId>;
  /** Writes and removals that the bucket's state does not explain. */
  readonly stateProblems: readonly string[];
}

export function isNull({ version }: Write): boolean {
  return version === 'null';
}

export function mayBeNull(write: Write): boolean {
  return isNull(write) || (write.version === undefined && write.mayBeNull);
}

export function collectWrites(
  operations: readonly KeyOperation[],
  states: BucketStates,
): KeyWrites {
  const collector = new Collector(states);
  for (const operation of operations) collector.add(operation);
  return collector;
}

class Collector implements KeyWrites {
  readonly writes: Write[] = [];
  readonly removals: Removal[] = [];
  readonly refusedBodies = new Set<BodyId>();
  readonly stateProblems: string[] = [];

  constructor(private readonly states: BucketStates) {}

  add(operation: KeyOperation): void {
    const { start, end, outcome } = operation;
    switch (operation.op) {
      case 'put':
        this.#put(operation);
        return;
      case 'delete':
        this.#delete(operation);
        return;
      case 'delete-version':
        if (outcome.result === 'refused') return;
        this.#remove(operation.version, start, outcome.result === 'ok' ? end : Infinity);
        return;
      default:
        return;
    }
  }

  #put(operation: PutOperation): void {
    const { body, outcome } = operation;
    if (outcome.result === 'refused') {
      this.refusedBodies.add(body);
    } else if (outcome.result === 'ok') {
      this.#checkState(operation, outcome.version);
      this.#write(operation, 'version', outcome.version ?? 'null');
    } else {
      this.#write(operation, 'version', undefined);
    }
  }

  /** In a bucket that was never versioned it leaves nothing behind. */
  #delete(operation: DeleteOperation): void {
    const { start, end, outcome } = operation;
    if (outcome.result === 'refused') return;
    if (outcome.result === 'unknown') {
      const possible = this.states.during(start, end);
      if (possible.has('unversioned')) this.#remove('null', start, Infinity);
      if (possible.size > 1 || !possible.has('unversioned')) {
        this.#write(operation, 'delete-marker', undefined);
      }
      return;
    }
    this.#checkState(operation, outcome.version);
    if (!outcome.marker) this.#remove('null', start, end);
    else this.#write(operation, 'delete-marker', outcome.version ?? 'null');
  }

  #remove(version: string, start: Instant, doneBy: Instant): void {
    this.removals.push({ version, start, doneBy });
  }

  #write(
    operation: PutOperation | DeleteOperation,
    kind: Write['kind'],
    version: string | undefined,
  ): void {
    const { start, end, outcome } = operation;
    const possible = this.states.during(start, end);
    this.writes.push({
      kind,
      body: operation.op === 'put' ? operation.body : undefined,
      version,
      mayBeNull: possible.has('Suspended') || (kind === 'version' && possible.has('unversioned')),
      start,
      doneBy: outcome.result === 'ok' ? end : Infinity,
      shownBy: outcome.result === 'ok' ? end : Infinity,
      goneBy: Infinity,
      goneAtKeyBy: Infinity,
      firstSeen: Infinity,
      label: describeOperation(operation),
    });
  }

  #checkState(operation: PutOperation | DeleteOperation, version: string | undefined): void {
    const possible = this.states.during(operation.start, operation.end);
    if (possible.has(stateOfWrite(version))) return;
    this.stateProblems.push(
      `${describeOperation(operation)} made version ${version ?? '(none)'}, ` +
        `while the bucket was ${[...possible].join(' or ')}`,
    );
  }
}
