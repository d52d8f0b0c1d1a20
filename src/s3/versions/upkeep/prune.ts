import type { CallContext, ObjectHead } from '../../../backend/backend.js';
import { mapLimited } from '../../../lib/map-limited.js';
import { versionRef, type VersionedKey } from '../names.js';
import {
  commitWritten,
  discard,
  headVersion,
  uncancelled,
  type RemovedVersion,
  type VersionParts,
} from '../parts.js';
import { settle } from '../settle.js';
import { expectedStanding, type Standing } from '../standing.js';
import type { VersionChange, VersionEntry, VersionIndex } from '../version-entry.js';

/** What is to go of a key's versions. */
export interface Pruning {
  /**
   * The entries that are to go, of the index as it is; asked again whenever somebody else was
   * faster. It must not choose more than {@link PRUNE_MAX}.
   */
  readonly choose: (index: VersionIndex) => readonly VersionEntry[];
  /**
   * Whether a version may go, by its locks as they are on the very generation that is committed. Not
   * asked of delete markers, nor of a version whose object is gone.
   */
  readonly mayGo: (head: ObjectHead, entry: VersionEntry) => boolean;
}

export interface PrunedVersion {
  readonly entry: VersionEntry;
  /** Undefined of a delete marker. */
  readonly removed: RemovedVersion | undefined;
}

/** Reads and deletions under way at once. */
const CONCURRENCY = 8;
/**
 * Most versions that go with one commit: each rewrites the index, so that of 10,000 versions one by
 * one would write gigabytes. The fence of so many has 50 KiB.
 */
export const PRUNE_MAX = 1000;

/** Removes versions and delete markers of a key for good, all of them with one commit. */
export async function pruneVersions(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
  { choose, mayGo }: Pruning,
): Promise<readonly PrunedVersion[]> {
  const work = uncancelled(call);
  const writeClass = 'deletion';
  const seen = new Map<string, VersionEntry>();
  let expected: Standing | undefined;
  const plan = async (index: VersionIndex): Promise<VersionChange | undefined> => {
    const chosen = choose(index);
    const leave = await mapLimited(chosen, CONCURRENCY, async (entry) => {
      if (entry.kind === 'delete-marker') return true;
      const head = await headVersion(parts, work, of, entry);
      return head === undefined || mayGo(head, entry);
    });
    const doomed = chosen.filter((_, at) => leave[at]);
    if (doomed.length === 0) return undefined;
    expected = expectedStanding(index);
    for (const entry of doomed) seen.set(entry.name, entry);
    return { remove: doomed.map(({ name, touched }) => ({ name, touched })) };
  };
  const committed = await commitWritten(parts, work, of, new Set(), plan, writeClass);
  const { stored, commit } = committed;
  if (commit === undefined) return [];
  await settle(parts, work, of, stored, { expected, writeClass });
  const gone = (commit.change.remove ?? []).flatMap(({ name }) => seen.get(name) ?? []);
  return mapLimited(gone, CONCURRENCY, async (entry) => ({
    entry,
    removed:
      entry.kind === 'version' ? await discard(parts, work, versionRef(of, entry.name)) : undefined,
  }));
}
