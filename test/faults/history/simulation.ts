import type { BodyId, BucketState, ListedEntry, Operation, ReadResult } from './operation.js';

/** One operation of a simulated history; its times are offsets, in any order of operations. */
export interface Step {
  readonly op: 'put' | 'delete' | 'delete-version' | 'get' | 'get-version' | 'list' | 'set-state';
  /** When it happens. */
  readonly at: number;
  /** How long before that it began, and after that it was answered. */
  readonly before: number;
  readonly after: number;
  /** Whether it is answered, and when not, what becomes of it. */
  readonly fate: 'answered' | 'never happens' | 'happens unanswered' | 'happens late';
  /** Chooses among the versions there are, or states. */
  readonly choice: number;
}

interface Entry {
  readonly version: string;
  /** Undefined: a delete marker. */
  readonly body: BodyId | undefined;
}

/** After the answer would have come, and before the end that every history has. */
const LATE = 50;
const END = 100_000;

/**
 * A history as a right bucket makes it, with one key: SPEC.md 3.1, done one step after the other,
 * each seen by its client as some interval around the moment when it happened.
 */
export function simulate(steps: readonly Step[]): Operation[] {
  const inOrder = [...steps].sort((a, b) => momentOf(a) - momentOf(b));
  const bucket = new SimulatedBucket(inOrder);
  const operations: Operation[] = [];
  for (const [index, step] of inOrder.entries()) {
    const start = step.at - step.before;
    const end = step.at + step.after;
    operations.push({
      client: `c${index}`,
      start,
      end,
      ...bucket.perform(step, index),
    } as Operation);
  }
  let time = END;
  const next = (): { client: string; start: number; end: number } => {
    time += 10;
    return { client: 'end', start: time, end: time + 5 };
  };
  operations.push({ ...next(), ...bucket.list() });
  for (const { version } of bucket.entries) {
    operations.push({ ...next(), ...bucket.get(version) });
  }
  return operations;
}

function momentOf({ at, after, fate }: Step): number {
  return fate === 'happens late' ? at + after + LATE : at;
}

function stateOf({ choice }: Step): BucketState {
  return choice % 2 === 0 ? 'Enabled' : 'Suspended';
}

const KEY = { key: 'key' } as const;
const CUT = { result: 'unknown', why: 'cut' } as const;

class SimulatedBucket {
  entries: readonly Entry[] = [];
  #state: BucketState = 'unversioned';
  readonly #settings: readonly Step[];

  constructor(inOrder: readonly Step[]) {
    this.#settings = inOrder.filter(
      ({ op, fate }) => op === 'set-state' && fate !== 'never happens',
    );
  }

  /** Does it, unless it never happens. @returns what is recorded of it */
  perform(step: Step, index: number): object {
    // A late operation goes by the state that it found while its client was waiting.
    this.#state = this.#stateAt(step.at);
    const unanswered = step.fate === 'answered' ? undefined : { outcome: CUT };
    const before = this.entries;
    const recorded = { ...this.#apply(step, index), ...unanswered };
    if (step.fate === 'never happens') this.entries = before;
    return recorded;
  }

  #stateAt(moment: number): BucketState {
    const setting = this.#settings.findLast((step) => momentOf(step) <= moment);
    return setting === undefined ? 'unversioned' : stateOf(setting);
  }

  #apply(step: Step, index: number): object {
    const { op, choice } = step;
    switch (op) {
      case 'put':
        return this.#put(`body ${index}`, `v${index}`);
      case 'delete':
        return this.#delete(`m${index}`);
      case 'delete-version':
        return this.#deleteVersion(this.#choose(choice));
      case 'get':
        return this.get(undefined);
      case 'get-version':
        return this.get(this.#choose(choice));
      case 'list':
        return this.list();
      case 'set-state':
        return { op, state: stateOf(step), outcome: { result: 'ok' } };
    }
  }

  list() {
    const entries = this.entries.map(({ version, body }, index): ListedEntry => {
      const latest = index === 0;
      if (body === undefined) return { kind: 'delete-marker', version, latest };
      return { kind: 'version', version, body, latest };
    });
    return { op: 'list', ...KEY, outcome: { result: 'ok', entries } } as const;
  }

  get(version: string | undefined) {
    const entry =
      version === undefined
        ? this.entries[0]
        : this.entries.find((each) => each.version === version);
    const outcome = { result: 'ok', ...this.#resultOf(entry) } as const;
    return { op: 'get', ...KEY, ...(version === undefined ? {} : { version }), outcome } as const;
  }

  #resultOf(entry: Entry | undefined): ReadResult {
    if (entry === undefined) return { found: 'nothing' };
    const { version, body } = entry;
    if (body === undefined) return { found: 'delete-marker', version };
    return { found: 'version', version: this.#told(version), body };
  }

  #told(version: string): string | undefined {
    return this.#state === 'unversioned' ? undefined : version;
  }

  #put(body: BodyId, minted: string): object {
    const version = this.#add(minted, body);
    return { op: 'put', ...KEY, body, outcome: { result: 'ok', version: this.#told(version) } };
  }

  #delete(minted: string): object {
    if (this.#state === 'unversioned') {
      this.entries = this.entries.filter(({ version }) => version !== 'null');
      return { op: 'delete', ...KEY, outcome: { result: 'ok', marker: false } };
    }
    const version = this.#add(minted, undefined);
    return { op: 'delete', ...KEY, outcome: { result: 'ok', version, marker: true } };
  }

  #deleteVersion(version: string): object {
    this.entries = this.entries.filter((entry) => entry.version !== version);
    return { op: 'delete-version', ...KEY, version, outcome: { result: 'ok' } };
  }

  #add(minted: string, body: BodyId | undefined): string {
    const version = this.#state === 'Enabled' ? minted : 'null';
    this.entries = [
      { version, body },
      ...this.entries.filter((entry) => entry.version !== 'null' || version !== 'null'),
    ];
    return version;
  }

  #choose(choice: number): string {
    return this.entries[choice % this.entries.length]?.version ?? 'null';
  }
}
