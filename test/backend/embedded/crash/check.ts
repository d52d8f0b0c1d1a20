import type { Content, Expectations, Version } from './journal.js';

export interface ObservedObject extends Version {
  /** The bytes are those of its version and ETag. */
  readonly intact: boolean;
  /** A large object: its bytes count where its segments are. */
  readonly large?: boolean;
}

/** A store as it was found after a crash and its recovery. */
export interface ObservedState {
  /** By listing, each read whole. */
  readonly objects: ReadonlyMap<string, ObservedObject>;
  /** The container's own figures. */
  readonly objectCount: number;
  readonly bytesUsed: number;
  /** Ids of bodies and segment lists that records refer to, and those that exist. */
  readonly inlineReferred: ReadonlySet<number>;
  readonly inlineStored: ReadonlySet<number>;
  readonly filesReferred: ReadonlySet<number>;
  readonly filesStored: ReadonlySet<number>;
  /** Rows left in the reclaim table. */
  readonly reclaimRows: number;
}

/** The problems of a state; none when it keeps every promise. */
export function findProblems(state: ObservedState, expected: Expectations): string[] {
  return [
    ...contentProblems(state, expected),
    ...usageProblems(state),
    ...setProblems('inline bodies', state.inlineReferred, state.inlineStored),
    ...setProblems('body files', state.filesReferred, state.filesStored),
    ...(state.reclaimRows === 0 ? [] : [`${state.reclaimRows} rows to reclaim are left`]),
  ];
}

function* contentProblems({ objects }: ObservedState, expected: Expectations): Iterable<string> {
  for (const [name, object] of objects) {
    if (!object.intact) yield `${name} is damaged`;
    if (!expected.has(name)) yield `${name} was never written`;
  }
  for (const [name, contents] of expected) {
    const found = objects.get(name) ?? 'absent';
    if (contents.some((content) => isSame(content, found))) continue;
    yield `${name} is ${describeContent(found)}, not ${contents.map(describeContent).join(' or ')}`;
  }
}

function* usageProblems({ objects, objectCount, bytesUsed }: ObservedState): Iterable<string> {
  let bytes = 0;
  for (const { size, large } of objects.values()) if (large !== true) bytes += size;
  if (objectCount !== objects.size) yield `${objectCount} objects counted, ${objects.size} listed`;
  if (bytesUsed !== bytes) yield `${bytesUsed} bytes counted, ${bytes} listed`;
}

function* setProblems(
  what: string,
  referred: ReadonlySet<number>,
  stored: ReadonlySet<number>,
): Iterable<string> {
  for (const id of referred) if (!stored.has(id)) yield `${what}: ${id} is missing`;
  for (const id of stored) if (!referred.has(id)) yield `${what}: ${id} is an orphan`;
}

function isSame(wanted: Content, found: Content): boolean {
  if (wanted === 'absent' || found === 'absent') return wanted === found;
  return wanted.size === found.size && wanted.seed === found.seed;
}

function describeContent(content: Content): string {
  return content === 'absent' ? content : `version ${content.seed} of ${content.size} bytes`;
}
