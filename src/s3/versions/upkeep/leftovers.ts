import type { CallContext, ListedObject, WritePrecondition } from '../../../backend/backend.js';
import { mapLimited } from '../../../lib/promises.js';
import { isCode } from '../../../backend/errors.js';
import { archiveContainer, parseArchiveName, type VersionedKey } from '../names.js';
import { uncancelled, type RemovedVersion } from '../commit-written.js';
import type { VersionDeps } from '../deps.js';
import { syncCurrent } from '../sync-current.js';
import type { Commit, VersionChange, VersionIndex } from '../version-entry.js';

/**
 * The leftovers of commits on a key, as listed, all of them older than any commit that may be under
 * way:
 *
 *     fence     of a generation that the index has come to, or of one that is never finished
 *     object    a version that no index names
 */
export interface Leftovers {
  /** The least generation that the index has reached; 0 if it was not read. */
  readonly generation: number;
  readonly fences: readonly ListedObject[];
  readonly objects: readonly ListedObject[];
  /** Whether the key has no index at all: it may be lost, and the objects may be its versions. */
  readonly hasNoIndex?: boolean;
}

/** Deletions under way at once. */
const CONCURRENCY = 8;
/** Fences above the index that are looked at: each is of a writer that crashed there. */
const FENCES_ABOVE_MAX = 64;

/**
 * Finds the leftovers that are not needed any more. It changes nothing, except that reading an
 * index rolls it forward to its fences.
 *
 * Objects of an unfinished commit stay until that commit is gone: so the index is read again after
 * the fences above it, and then has all that these have added in between.
 */
export async function findLeftovers(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  listed: Leftovers,
): Promise<Leftovers> {
  const { fences, objects } = listed;
  if (objects.length === 0 && isIndexEnough(deps) && fences.every(isBelow(listed))) return listed;
  const { index: before, etag: etagBefore } = await deps.commits.read(call, key);
  // Elsewhere the fence of its generation tells an index from one that should not be there.
  const done = isIndexEnough(deps)
    ? fences
    : fences.filter((fence) => generationOf(fence) < before.generation);
  const { generation } = before;
  if (objects.length === 0) {
    return { generation, fences: done, objects, ...noIndex(etagBefore) };
  }
  const pending = await pendingCommits(deps, call, key, before);
  const { index, etag } = await deps.commits.read(call, key);
  const named = new Set(index.entries.map(({ name }) => name));
  for (const { change } of pending) for (const name of namesIn(change)) named.add(name);
  const orphans = objects.filter((object) => !named.has(versionNameOf(object)));
  return { generation, fences: done, objects: orphans, ...noIndex(etag) };
}

function noIndex(etag: string | undefined): Pick<Leftovers, 'hasNoIndex'> {
  return etag === undefined ? { hasNoIndex: true } : {};
}

/** Removes them, as they were listed. @returns the objects that went */
export async function removeLeftovers(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  found: Leftovers,
): Promise<readonly RemovedVersion[]> {
  const { objects, ...rest } = await findLeftovers(deps, call, key, found);
  await removeFences(deps, call, key, rest);
  const removed = await mapLimited(objects, CONCURRENCY, (object) =>
    remove(deps, call, key, object),
  );
  return removed.filter((one) => one !== undefined);
}

/**
 * Removes fences. Where the index alone decides, a fence above it was left by a writer that crashed
 * before it wrote the index, and no other writer has followed: its commit was never acknowledged.
 * Elsewhere reading the index has followed the fences, and those above it are not given here. It is given up for
 * good when the index has moved on: a writer that read the fence before its removal can write no
 * index from it any more.
 */
async function removeFences(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  { generation, fences }: Pick<Leftovers, 'generation' | 'fences'>,
): Promise<void> {
  await mapLimited(fences, CONCURRENCY, (fence) => remove(deps, call, key, fence));
  if (fences.every(isBelow({ generation }))) return;
  const work = uncancelled(call);
  const writeClass = 'deletion';
  try {
    const { stored } = await deps.commits.commit(work, key, () => ({}), { writeClass });
    await syncCurrent(deps, work, key, stored, { writeClass });
  } catch (error) {
    // Without the bucket there is no link to repair.
    if (!isCode(error, 'NoSuchContainer')) throw error;
  }
}

/** Commits that another writer may still carry out. */
async function pendingCommits(
  { store }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  { generation }: VersionIndex,
): Promise<readonly Commit[]> {
  const pending: Commit[] = [];
  for (let above = 1; above <= FENCES_ABOVE_MAX; above++) {
    const fence = await store.readFence(call, key, generation + above);
    if (fence === undefined) break;
    pending.push(fence);
  }
  return pending;
}

function namesIn({ add = [], place = [] }: VersionChange): string[] {
  return [...add, ...place].map(({ name }) => name);
}

async function remove(
  { backend }: VersionDeps,
  call: CallContext,
  { account, bucket }: VersionedKey,
  { name, etag, lastModified }: ListedObject,
): Promise<RemovedVersion | undefined> {
  const ref = { ...archiveContainer(account, bucket), object: name };
  const isConditional = backend.capabilities.conditionalDelete;
  const exact: WritePrecondition | undefined = isConditional ? { etag, lastModified } : undefined;
  try {
    const deleted = await backend.deleteObject(call, ref, exact);
    return deleted.outcome === 'deleted' ? { ref, manifest: deleted.removedManifest } : undefined;
  } catch (error) {
    if (isCode(error, 'NoSuchObject', 'NoSuchContainer')) return undefined;
    throw error;
  }
}

/**
 * Whether the index alone decides. If the store can replace exactly the index that was read, fences
 * are not needed to read it.
 */
export function isIndexEnough({ backend }: Pick<VersionDeps, 'backend'>): boolean {
  return backend.capabilities.conditionalReplace;
}

function isBelow({ generation }: Pick<Leftovers, 'generation'>): (fence: ListedObject) => boolean {
  return (fence) => generationOf(fence) <= generation;
}

function generationOf({ name }: Pick<ListedObject, 'name'>): number {
  const parsed = parseArchiveName(name);
  return parsed?.kind === 'fence' ? parsed.generation : 0;
}

export function versionNameOf({ name }: Pick<ListedObject, 'name'>): string {
  const parsed = parseArchiveName(name);
  return parsed?.kind === 'version' ? parsed.name : '';
}
