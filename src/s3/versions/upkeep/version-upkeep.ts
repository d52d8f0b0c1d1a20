import type { CallContext, ListedObject, ObjectHead } from '../../../backend/backend.js';
import { isCode } from '../../../backend/errors.js';
import { mapLimited } from '../../../lib/promises.js';
import {
  expectedCurrentState,
  readCurrentState,
  standsFor,
  type CurrentState,
} from '../current-state.js';
import { repairLink } from '../sync-current.js';
import { commitWritten, uncancelled, discard, type RemovedVersion } from '../commit-written.js';
import type { VersionDeps } from '../deps.js';
import { headVersion } from '../find-version.js';
import { findEntry } from '../index-changes.js';
import { archiveContainer, indexRef, versionRef, type VersionedKey } from '../names.js';
import { syncCurrent } from '../sync-current.js';
import type { VersionChange, VersionEntry, VersionIndex } from '../version-entry.js';
import { isIndexEnough, findLeftovers, removeLeftovers, type Leftovers } from './leftovers.js';

import { repairKey, type OnFinding } from './repair.js';

type IndexRemoval = 'done' | 'changed' | 'gone';

/**
 * Removes an index without entries, as it was listed, when nothing else lies under its key: a fence
 * that no index accounts for would pass for a change that is still to be made. A fence in between
 * names this index as the one that it follows, and so is void without it.
 */
async function removeEmptyIndex(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  { etag, lastModified }: ListedObject,
): Promise<IndexRemoval> {
  if (!isIndexEnough(deps)) return 'changed';
  try {
    const { index } = await deps.commits.read(call, key);
    if (index.generation === 0) return 'gone';
    if (index.entries.length > 0) return 'changed';
    // Without the index, a link that has to go would not be found.
    await repairLinkOfBucket(deps, call, key);
    const prefix = versionRef(key, '').object;
    const container = archiveContainer(key.account, key.bucket);
    const { entries } = await deps.backend.listObjects(call, container, { prefix, limit: 2 });
    if (entries.length > 1) return 'changed';
    const { outcome } = await deps.backend.deleteObject(call, indexRef(key), {
      etag,
      lastModified,
    });
    return outcome === 'deleted' ? 'done' : 'changed';
  } catch (error) {
    if (isCode(error, 'NoSuchObject', 'NoSuchContainer')) return 'gone';
    throw error;
  }
}

async function repairLinkOfBucket(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
): Promise<void> {
  try {
    await repairLink(deps, call, key);
  } catch (error) {
    // The bucket is gone, and its links with it.
    if (!isCode(error, 'NoSuchContainer')) throw error;
  }
}

/**
 * Says in the index, and with the link, that a version is of another storage class: listings show
 * it. Nothing happens where they do already, or the version is gone.
 */
async function moveVersion(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  id: string,
  storageClass: string,
): Promise<void> {
  const work = uncancelled(call);
  const { stored, commit } = await commitWritten(deps, work, key, new Set(), (index) => {
    const entry = findEntry(index, id);
    if (entry?.kind !== 'version' || entry.storageClass === storageClass) return undefined;
    return { move: [{ name: entry.name, storageClass }] };
  });
  if (commit !== undefined) await syncCurrent(deps, work, key, stored);
}

/** The choice of a key's versions to remove. */
interface Pruning {
  /**
   * Chooses the entries to remove from the present index; called again when another writer was
   * faster. It must not choose more than {@link PRUNE_MAX}.
   */
  readonly choose: (index: VersionIndex) => readonly VersionEntry[];
  /**
   * Whether a version may be removed, by its locks in the very generation that is committed. It is
   * not called for delete markers, nor for a version whose object is gone.
   */
  readonly mayGo: (head: ObjectHead, entry: VersionEntry) => boolean;
}

interface PrunedVersion {
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
async function pruneVersions(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  { choose, mayGo }: Pruning,
): Promise<readonly PrunedVersion[]> {
  const work = uncancelled(call);
  const writeClass = 'deletion';
  const seen = new Map<string, VersionEntry>();
  let expected: CurrentState | undefined;
  let isUnsettled: boolean | undefined;
  const plan = async (index: VersionIndex): Promise<VersionChange | undefined> => {
    isUnsettled = false;
    const chosen = choose(index);
    const leave = await mapLimited(chosen, CONCURRENCY, async (entry) => {
      if (entry.kind === 'delete-marker') return true;
      const head = await headVersion(deps, work, key, entry);
      return head === undefined || mayGo(head, entry);
    });
    const doomed = chosen.filter((_, at) => leave[at]);
    if (doomed.length === 0) return undefined;
    if (doomed.some(({ adopted }) => adopted !== undefined)) {
      const standing = await readCurrentState(deps.backend, work, key);
      isUnsettled = standsFor(standing, index, doomed);
      if (isUnsettled) return undefined;
    }
    expected = expectedCurrentState(index);
    for (const entry of doomed) seen.set(entry.name, entry);
    return { remove: doomed.map(({ name, touched }) => ({ name, touched })) };
  };
  const committed = await commitWritten(deps, work, key, new Set(), plan, writeClass);
  const { stored, commit } = committed;
  if (isUnsettled) {
    await syncCurrent(deps, work, key, stored, { writeClass });
    return pruneVersions(deps, call, key, { choose, mayGo });
  }
  if (commit === undefined) return [];
  await syncCurrent(deps, work, key, stored, { expected, writeClass });
  const gone = (commit.change.remove ?? []).flatMap(({ name }) => seen.get(name) ?? []);
  return mapLimited(gone, CONCURRENCY, async (entry) => ({
    entry,
    removed:
      entry.kind === 'version' ? await discard(deps, work, versionRef(key, entry.name)) : undefined,
  }));
}

/**
 * The janitor's work on versions: it removes those that rules expire, and the leftovers of commits.
 * All throw as VersionedKeys does.
 */
export class VersionUpkeep {
  constructor(private readonly deps: VersionDeps) {}

  /**
   * Whether the listing of an index can be believed: where an older one may come back, only reading
   * it tells.
   */
  get isListingEnough(): boolean {
    return isIndexEnough(this.deps);
  }

  /** Removes versions and delete markers of a key for good. @throws what the pruning throws */
  prune(call: CallContext, key: VersionedKey, pruning: Pruning): Promise<readonly PrunedVersion[]> {
    return pruneVersions(this.deps, call, key, pruning);
  }

  /** Reads a version with its locks; undefined when its object is gone. */
  head(
    call: CallContext,
    key: VersionedKey,
    entry: Pick<VersionEntry, 'name' | 'locks'>,
  ): Promise<ObjectHead | undefined> {
    return headVersion(this.deps, call, key, entry);
  }

  /** Says in the index that a version is of another storage class. @param id - of S3 */
  move(call: CallContext, key: VersionedKey, id: string, storageClass: string): Promise<void> {
    return moveVersion(this.deps, call, key, id, storageClass);
  }

  /** Which of these nothing needs any more. */
  findLeftovers(call: CallContext, key: VersionedKey, listed: Leftovers): Promise<Leftovers> {
    return findLeftovers(this.deps, call, key, listed);
  }

  /** Removes those of them that nothing needs any more. @returns the objects that went */
  removeLeftovers(
    call: CallContext,
    key: VersionedKey,
    found: Leftovers,
  ): Promise<readonly RemovedVersion[]> {
    return removeLeftovers(this.deps, call, key, found);
  }

  /** Finds what is wrong with a key, and mends it. @param mend, tell - see {@link repairKey} */
  repair(call: CallContext, key: VersionedKey, mend: boolean, tell: OnFinding): Promise<void> {
    return repairKey(this.deps, call, key, mend, tell);
  }

  /** Removes an index without entries, as it was listed, when nothing else lies under its key. */
  removeEmptyIndex(
    call: CallContext,
    key: VersionedKey,
    listed: ListedObject,
  ): Promise<IndexRemoval> {
    return removeEmptyIndex(this.deps, call, key, listed);
  }
}
