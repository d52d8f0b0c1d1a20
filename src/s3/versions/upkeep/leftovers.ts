import type { CallContext, ListedObject, WritePrecondition } from '../../../backend/backend.js';
import { mapLimited } from '../../../lib/map-limited.js';
import { isCode } from '../backend-codes.js';
import type { IndexStore } from '../index-store.js';
import { archiveContainer, parseArchiveName, type VersionedKey } from '../names.js';
import { uncancelled, type RemovedVersion, type VersionParts } from '../parts.js';
import { settle } from '../settle.js';
import type { Commit, VersionChange, VersionIndex } from '../version-entry.js';

/**
 * What commits leave behind of a key, as it was listed, all of it older than any commit that may be
 * under way:
 *
 *     fence     of a generation that the index has come to, or of one that nobody finishes any more
 *     object    a version that no index names
 */
export interface Leftovers {
  /** That the index is known to have come to; 0 where it was not looked at. */
  readonly generation: number;
  readonly fences: readonly ListedObject[];
  readonly objects: readonly ListedObject[];
}

export interface UpkeepParts extends VersionParts {
  readonly store: IndexStore;
}

/** Deletions under way at once. */
const CONCURRENCY = 8;
/** Fences above the index that are looked at: each is of a writer that crashed there. */
const FENCES_ABOVE_MAX = 64;

/**
 * Which of these nothing needs any more. Nothing is changed, but for an index that lags behind its
 * fences, which whoever reads it brings up.
 *
 * What a commit that is not finished refers to stays, until that commit is gone: so the index is read
 * again after the fences above it, and whatever one of these wanted in between is in it.
 */
export async function findLeftovers(
  parts: UpkeepParts,
  call: CallContext,
  of: VersionedKey,
  listed: Leftovers,
): Promise<Leftovers> {
  const { fences, objects } = listed;
  if (objects.length === 0 && isIndexEnough(parts) && fences.every(isBelow(listed))) return listed;
  const { index: before } = await parts.commits.read(call, of);
  // Elsewhere the fence of its generation tells an index from one that should not be there.
  const done = isIndexEnough(parts)
    ? fences
    : fences.filter((fence) => generationOf(fence) < before.generation);
  const { generation } = before;
  if (objects.length === 0) return { generation, fences: done, objects };
  const pending = await pendingCommits(parts, call, of, before);
  const { index } = await parts.commits.read(call, of);
  const named = new Set(index.entries.map(({ name }) => name));
  for (const { change } of pending) for (const name of namesIn(change)) named.add(name);
  const orphans = objects.filter((object) => !named.has(versionNameOf(object)));
  return { generation, fences: done, objects: orphans };
}

/** Removes them, as they were listed. @returns the objects that went */
export async function removeLeftovers(
  parts: UpkeepParts,
  call: CallContext,
  of: VersionedKey,
  found: Leftovers,
): Promise<readonly RemovedVersion[]> {
  const { objects, ...rest } = await findLeftovers(parts, call, of, found);
  await removeFences(parts, call, of, rest);
  const removed = await mapLimited(objects, CONCURRENCY, (object) =>
    remove(parts, call, of, object),
  );
  return removed.filter((one) => one !== undefined);
}

/**
 * Removes fences. One above the index is of a writer that crashed before it wrote the index, and that
 * nobody came after: nobody was told that it happened. It is given up for good when the index has
 * moved on: whoever read the fence before it went can write no index from it any more.
 */
async function removeFences(
  parts: UpkeepParts,
  call: CallContext,
  of: VersionedKey,
  { generation, fences }: Pick<Leftovers, 'generation' | 'fences'>,
): Promise<void> {
  await mapLimited(fences, CONCURRENCY, (fence) => remove(parts, call, of, fence));
  if (fences.every(isBelow({ generation }))) return;
  const work = uncancelled(call);
  const writeClass = 'deletion';
  try {
    const { stored } = await parts.commits.commit(work, of, () => ({}), { writeClass });
    await settle(parts, work, of, stored, { writeClass });
  } catch (error) {
    // Without the bucket there is nothing to be in step with.
    if (!isCode(error, 'NoSuchContainer')) throw error;
  }
}

/** Commits that somebody may still carry out. */
async function pendingCommits(
  { store }: UpkeepParts,
  call: CallContext,
  of: VersionedKey,
  { generation }: VersionIndex,
): Promise<readonly Commit[]> {
  const pending: Commit[] = [];
  for (let above = 1; above <= FENCES_ABOVE_MAX; above++) {
    const fence = await store.readFence(call, of, generation + above);
    if (fence === undefined) break;
    pending.push(fence);
  }
  return pending;
}

function namesIn({ add = [], place = [] }: VersionChange): string[] {
  return [...add, ...place].map(({ name }) => name);
}

async function remove(
  { backend }: UpkeepParts,
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

/** Where the index is replaced in place of what was read, its fences only help. */
export function isIndexEnough({ backend }: Pick<VersionParts, 'backend'>): boolean {
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
