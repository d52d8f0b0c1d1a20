import {
  describeOperation,
  type BodyId,
  type Instant,
  type KeyOperation,
  type ListOperation,
  type ReadOperation,
} from './operation.js';
import type { KeyWrites, Write } from './writes.js';
import type { ViolationKind } from './violation.js';

/** The writes that one of which made what was seen: one, but for `null` delete markers. */
export type Candidates = readonly Write[];

interface Seen {
  readonly start: Instant;
  readonly end: Instant;
  readonly label: string;
}

/** All entries of the key at one moment, newest first. */
export interface Snapshot extends Seen {
  readonly entries: readonly Candidates[];
  readonly hasNull: boolean;
}

/** The current entry at one moment; undefined: the key had no entry. */
export interface CurrentRead extends Seen {
  readonly top: Candidates | undefined;
}

/** The entry that a version id led to at one moment. */
export interface VersionRead extends Seen {
  readonly version: string;
  readonly found: Candidates | undefined;
}

/** The sightings of a key by clients, in terms of its writes. */
export interface Sightings {
  readonly snapshots: readonly Snapshot[];
  readonly currentReads: readonly CurrentRead[];
  readonly versionReads: readonly VersionRead[];
  readonly problems: readonly { readonly kind: ViolationKind; readonly message: string }[];
}

/**
 * Finds the write behind everything that was seen. Writes whose outcome nobody was told learn their
 * version id from being seen, and, where that is firm, that they have happened.
 */
export function resolveSightings(
  operations: readonly KeyOperation[],
  known: KeyWrites,
  seenIsFirm: boolean,
): Sightings {
  const resolver = new Resolver(known, seenIsFirm);
  for (const operation of operations) {
    if (operation.op === 'list') resolver.list(operation);
    else if (operation.op === 'get' || operation.op === 'head') resolver.read(operation);
  }
  resolver.checkMarkerCount();
  return resolver;
}

class Resolver implements Sightings {
  readonly snapshots: Snapshot[] = [];
  readonly currentReads: CurrentRead[] = [];
  readonly versionReads: VersionRead[] = [];
  readonly problems: { kind: ViolationKind; message: string }[] = [];
  readonly #byBody = new Map<BodyId, Write>();
  readonly #byVersion = new Map<string, Write>();
  readonly #nullMarkers: readonly Write[];
  /** DELETEs that nobody was told of; which of the markers below they made, nobody knows. */
  readonly #unknownDeletes: readonly Write[];
  readonly #unknownMarkers: Write[] = [];

  constructor(
    private readonly known: KeyWrites,
    private readonly seenIsFirm: boolean,
  ) {
    for (const write of known.writes) {
      if (write.body !== undefined) this.#byBody.set(write.body, write);
      this.#indexVersion(write);
    }
    const markers = known.writes.filter(({ kind }) => kind === 'delete-marker');
    this.#unknownDeletes = markers.filter(({ version }) => version === undefined);
    this.#nullMarkers = markers.filter(
      ({ version, mayBeNull }) => version === 'null' || (version === undefined && mayBeNull),
    );
  }

  list(operation: ListOperation): void {
    if (operation.outcome.result !== 'ok') return;
    const { entries } = operation.outcome;
    const seen = seenBy(operation);
    const ids = entries.map(({ version }) => version);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) this.#report('duplicate-id', `${seen.label} shows ${twice} twice`);
    if (entries.some(({ latest }, index) => latest !== (index === 0))) {
      this.#report('latest-flag', `${seen.label} marks another entry than the first`);
    }
    const resolved = entries.map(({ kind, version, body }) =>
      kind === 'version' ? this.#version(version, body ?? '', seen) : this.#marker(version, seen),
    );
    this.snapshots.push({ ...seen, entries: resolved, hasNull: ids.includes('null') });
  }

  read(operation: ReadOperation): void {
    const { outcome, version } = operation;
    if (outcome.result !== 'ok') return;
    const seen = seenBy(operation);
    let found: Candidates | undefined;
    if (outcome.found === 'version') {
      found = this.#version(version ?? outcome.version ?? 'null', outcome.body, seen);
    } else if (outcome.found === 'delete-marker') {
      found = this.#marker(version ?? outcome.version ?? 'null', seen);
    }
    if (version === undefined) {
      this.currentReads.push({ ...seen, top: found });
      if (outcome.found === 'version') this.#noteShown(found, seen);
    } else this.versionReads.push({ ...seen, version, found });
  }

  /** No more markers than DELETEs that may have made them, and none before its DELETE began. */
  checkMarkerCount(): void {
    const starts = this.#unknownDeletes.map(({ start }) => start).sort((a, b) => a - b);
    const markers = [...this.#unknownMarkers].sort((a, b) => a.firstSeen - b.firstSeen);
    for (const [index, { version, firstSeen }] of markers.entries()) {
      const start = starts[index];
      if (start !== undefined && start <= firstSeen) continue;
      this.#report('unknown-marker', `nobody wrote the delete marker ${version ?? ''}`);
    }
  }

  #version(id: string, body: BodyId, seen: Seen): Candidates {
    const write = this.#byBody.get(body);
    if (write === undefined) {
      const refused = this.known.refusedBodies.has(body);
      const whose = refused ? 'whose PUT was refused' : 'that nobody wrote';
      this.#report(
        refused ? 'refused-body' : 'unknown-body',
        `${seen.label} shows as version ${id} the body ${body}, ${whose}`,
      );
      return [];
    }
    if (write.version === undefined) {
      write.version = id;
      this.#indexVersion(write);
    }
    if (write.version !== id) {
      const owner = this.#byVersion.get(id);
      const kind = owner === undefined ? 'written-twice' : 'wrong-body';
      const told = `which is version ${write.version}`;
      this.#report(
        kind,
        `${seen.label} shows as version ${id} the body of ${write.label}, ${told}`,
      );
      return [];
    }
    this.#noteSeen(write, seen);
    return [write];
  }

  #marker(id: string, seen: Seen): Candidates {
    if (id === 'null') {
      if (this.#nullMarkers.length === 0) {
        this.#report('unknown-marker', `${seen.label} shows a null delete marker of nobody`);
      }
      return this.#nullMarkers;
    }
    const write = this.#byVersion.get(id) ?? this.#attributeMarker(id);
    if (write.kind !== 'delete-marker') {
      this.#report('wrong-body', `${seen.label} shows ${write.label} as a delete marker`);
      return [];
    }
    this.#noteSeen(write, seen);
    return [write];
  }

  /** Not of a delete marker: of that the index tells, and the key itself has nothing to show. */
  #noteShown(found: Candidates | undefined, { end }: Seen): void {
    const [write] = found ?? [];
    if (write !== undefined && this.seenIsFirm) write.shownBy = Math.min(write.shownBy, end);
  }

  #noteSeen(write: Write, { end }: Seen): void {
    if (this.seenIsFirm) write.doneBy = Math.min(write.doneBy, end);
    write.firstSeen = Math.min(write.firstSeen, end);
  }

  /** The marker of one of the DELETEs without an answer: it began with the first, or later. */
  #attributeMarker(id: string): Write {
    const write: Write = {
      kind: 'delete-marker',
      body: undefined,
      version: id,
      mayBeNull: false,
      start: this.#unknownDeletes.reduce((first, { start }) => Math.min(first, start), Infinity),
      doneBy: Infinity,
      shownBy: Infinity,
      goneBy: Infinity,
      goneAtKeyBy: Infinity,
      firstSeen: Infinity,
      label: `delete marker ${id} of a DELETE without an answer`,
    };
    this.#unknownMarkers.push(write);
    this.known.writes.push(write);
    this.#indexVersion(write);
    return write;
  }

  #indexVersion(write: Write): void {
    const { version } = write;
    if (version === undefined || version === 'null') return;
    const owner = this.#byVersion.get(version);
    if (owner === undefined) this.#byVersion.set(version, write);
    else this.#report('duplicate-id', `${owner.label} and ${write.label} made ${version}`);
  }

  #report(kind: ViolationKind, message: string): void {
    this.problems.push({ kind, message });
  }
}

function seenBy(operation: ReadOperation | ListOperation): Seen {
  const { start, end } = operation;
  return { start, end, label: describeOperation(operation) };
}
