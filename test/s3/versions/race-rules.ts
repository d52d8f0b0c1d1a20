import type { VersionIndex } from '../../../src/s3/versions/version-entry.js';

/** Rules for the answers to gateways and for the index that they leave. */

export type Act =
  | 'put'
  | 'put-null'
  | 'mark'
  | 'mark-null'
  /** Of any version that somebody was told of. */
  | 'delete'
  | 'delete-null'
  | 'lock'
  | 'read'
  /** Looks for the version `null`. */
  | 'find-null'
  /** The gateway writes the indexes that it has postponed. */
  | 'write-postponed'
  /** A client of the store writes past the gateways. */
  | 'plain';

/** An act of a gateway and its answer, if any. Times are instants of the race. */
export interface Told {
  readonly act: Act;
  readonly startedAt: number;
  /** Undefined: nobody was told, and it may or may not have happened. */
  endedAt?: number | undefined;
  /** Of the entry that was made, deleted or locked. */
  versionId?: string | undefined;
  body?: string | undefined;
  /** Whether the version `null` was found. */
  found?: boolean;
  /** Why it failed for certain: nothing of it may be seen. */
  refused?: string;
}

export function brokenRules(told: readonly Told[], index: VersionIndex): string[] {
  return [
    ...lost(told, index),
    ...undead(told, index),
    ...unlocked(told),
    ...disordered(told, index),
    ...restored(told),
    ...missed(told),
    ...outlived(told, index),
  ];
}

/** An object that a client of the store wrote, if it is the only one ever to be `null`. */
function onlyNull(told: readonly Told[]): Told | undefined {
  const writers = told.filter(({ act }) => NULL_WRITERS.has(act));
  const [first] = writers;
  return writers.length === 1 && first?.act === 'plain' ? first : undefined;
}

const NULL_WRITERS: ReadonlySet<Act> = new Set(['plain', 'put-null', 'mark-null']);

/** The version `null` is not found any more, once a deletion of it was acknowledged. */
function restored(told: readonly Told[]): string[] {
  const writtenAt = onlyNull(told)?.endedAt;
  if (writtenAt === undefined) return [];
  const deletedAt = told
    .filter(({ act, startedAt }) => act === 'delete-null' && startedAt >= writtenAt)
    .reduce((first, { endedAt = Infinity }) => Math.min(first, endedAt), Infinity);
  const looks = told.filter(({ found, startedAt }) => found === true && startedAt > deletedAt);
  return looks.map(({ startedAt }) => `null is there again at ${startedAt}`);
}

/** An object from before the versions goes with the first that deletes or replaces it as `null`. */
function outlived(told: readonly Told[], { entries }: VersionIndex): string[] {
  const [first] = told;
  const writtenAt = first?.act === 'plain' ? first.endedAt : undefined;
  if (writtenAt === undefined || told.filter(({ act }) => act === 'plain').length > 1) return [];
  // Where the index had a version `null` before the object came, the object is an ordinary version.
  const isOrdinary = told.some(
    ({ act, startedAt }) => (act === 'put-null' || act === 'mark-null') && startedAt < writtenAt,
  );
  if (isOrdinary) return [];
  const isGone = told.some(
    ({ act, startedAt, endedAt }) =>
      NULL_ENDERS.has(act) && startedAt >= writtenAt && endedAt !== undefined,
  );
  const copies = entries.filter(
    ({ adopted, etag, lastModified }) =>
      adopted?.lastModified === lastModified && adopted.etag === etag,
  );
  return isGone ? copies.map(({ id }) => `${id} is what was deleted as null`) : [];
}

const NULL_ENDERS: ReadonlySet<Act> = new Set(['delete-null', 'put-null', 'mark-null']);

/** The version `null` is found as long as nobody deletes it. */
function missed(told: readonly Told[]): string[] {
  const writtenAt = onlyNull(told)?.endedAt;
  if (writtenAt === undefined) return [];
  const deletedFrom = told
    .filter(({ act }) => act === 'delete-null')
    .reduce((first, { startedAt }) => Math.min(first, startedAt), Infinity);
  const looks = told.filter(
    ({ found, startedAt, endedAt = Infinity }) =>
      found === false && startedAt >= writtenAt && endedAt < deletedFrom,
  );
  return looks.map(({ startedAt }) => `null is not there at ${startedAt}`);
}

/** An acknowledged entry is there, once, unless somebody may have deleted it. */
function lost(told: readonly Told[], { entries }: VersionIndex): string[] {
  return told.flatMap(({ act, endedAt, versionId }) => {
    if ((act !== 'put' && act !== 'mark') || endedAt === undefined) return [];
    const found = entries.filter(({ id }) => id === versionId).length;
    if (found === 1 || (found === 0 && mayBeDeleted(told, versionId))) return [];
    return [`${act} ${String(versionId)} is there ${found} times`];
  });
}

function mayBeDeleted(told: readonly Told[], versionId: string | undefined): boolean {
  return told.some(
    ({ act, versionId: deleted, refused }) =>
      act === 'delete' && deleted === versionId && refused === undefined,
  );
}

/** A deleted entry stays deleted, and a refused one never comes to be. */
function undead(told: readonly Told[], { entries }: VersionIndex): string[] {
  return told.flatMap(({ act, endedAt, versionId, refused }) => {
    const isThere = entries.some(({ id }) => id === versionId);
    const isDeleted = act === 'delete' && endedAt !== undefined;
    const isRefused = act === 'put' && refused !== undefined;
    return isThere && (isDeleted || isRefused) ? [`${act} ${String(versionId)} is undone`] : [];
  });
}

/** No version is both locked and deleted. */
function unlocked(told: readonly Told[]): string[] {
  const done = told.filter(
    ({ endedAt, versionId }) => endedAt !== undefined && versionId !== undefined,
  );
  const locked = new Set(done.flatMap(({ act, versionId }) => (act === 'lock' ? [versionId] : [])));
  return done.flatMap(({ act, versionId }) =>
    act === 'delete' && locked.has(versionId) ? [`${String(versionId)} was locked`] : [],
  );
}

/** An entry that began after another was acknowledged is above it. */
function disordered(told: readonly Told[], { entries }: VersionIndex): string[] {
  const places = new Map(entries.map(({ id }, place) => [id, place]));
  const added = told.filter(
    ({ act, versionId }) =>
      act !== 'delete' && act !== 'lock' && places.has(versionId ?? '') && versionId !== 'null',
  );
  return added.flatMap((earlier) =>
    added
      .filter((later) => (earlier.endedAt ?? Infinity) < later.startedAt)
      .filter(
        (later) =>
          (places.get(later.versionId ?? '') ?? 0) > (places.get(earlier.versionId ?? '') ?? 0),
      )
      .map((later) => `${String(later.versionId)} is below what was there before`),
  );
}
