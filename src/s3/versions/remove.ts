import type {
  Backend,
  CallContext,
  ContainerRef,
  ListedObject,
  ObjectPage,
} from '../../backend/backend.js';
import { mapLimited } from '../../lib/promises.js';
import { isCode } from '../../backend/errors.js';
import { listedOutline, listedSummary } from './listing/index-summary.js';
import { archiveContainer, parseArchiveName } from './names.js';
import { placeOfRemoval } from './order.js';

/** Deletions under way at once: enough to share the store's commits, not enough to crowd it. */
const CONCURRENCY = 16;
const NAMES_PER_LISTING = 1000;

/** A bucket that was deleted. */
export interface DeletedBucket {
  readonly account: string;
  readonly bucket: string;
  /** A time of the store's clock at which it was still there, in milliseconds since the epoch. */
  readonly deletedAfter: number;
}

/** `kept`: something is left in it, for the janitor or because the bucket is there again. */
export type ArchiveRemoval = 'removed' | 'kept';

/**
 * Removes the archive of a bucket that had no versions when it was deleted: indexes without
 * entries, their fences, and what writers that crashed have left.
 *
 * Another client may have made the bucket again in the meantime, with versions. So objects as young
 * as the deletion stay. The index of a key is removed last, since a fence without its index would
 * look like a change that is still to be made. An index is removed only if it is the one that was
 * listed, which needs a store that can ensure that.
 *
 * Where writes are ordered, an index has the time of its creation: it is as young as the youngest of
 * its fences, and is removed in its generation.
 */
export async function removeVersionsContainer(
  backend: Backend,
  call: CallContext,
  { account, bucket, deletedAfter }: DeletedBucket,
): Promise<ArchiveRemoval> {
  const container = archiveContainer(account, bucket);
  try {
    await emptyContainer(backend, call, container, deletedAfter);
    await backend.deleteContainer(call, container);
    return 'removed';
  } catch (error) {
    if (isCode(error, 'NoSuchContainer')) return 'removed';
    if (isCode(error, 'ContainerNotEmpty')) return 'kept';
    throw error;
  }
}

async function emptyContainer(
  backend: Backend,
  call: CallContext,
  container: ContainerRef,
  before: number,
): Promise<void> {
  let marker: string | undefined;
  let youngKey: string | undefined;
  do {
    const query = { marker, limit: NAMES_PER_LISTING };
    const page = await backend.listObjects(call, container, query);
    const objects: ListedObject[] = [];
    const indexes: ListedObject[] = [];
    for (const entry of page.entries) {
      if (entry.kind !== 'object') continue;
      const { object } = entry;
      const key = object.name.slice(0, object.name.indexOf('/'));
      if (object.lastModified >= before) youngKey = key;
      else if (!isIndex(object)) objects.push(object);
      else if (key !== youngKey) indexes.push(object);
    }
    await removeAll(objects);
    // The names of a key are in this order too: on a later page there is nothing of these keys.
    if (backend.capabilities.conditionalDelete) await removeAll(indexes);
    marker = page.truncated ? lastName(page) : undefined;
  } while (marker !== undefined);

  async function removeAll(objects: readonly ListedObject[]): Promise<void> {
    await mapLimited(objects, CONCURRENCY, (object) =>
      removeObject(backend, call, container, object),
    );
  }
}

function lastName({ entries }: ObjectPage): string | undefined {
  const last = entries.at(-1);
  return last?.kind === 'object' ? last.object.name : undefined;
}

function isIndex({ name }: ListedObject): boolean {
  return parseArchiveName(name)?.kind === 'index';
}

/** Removes only the very object that was listed, if the store can ensure that. */
async function removeObject(
  backend: Backend,
  call: CallContext,
  container: ContainerRef,
  listed: ListedObject,
): Promise<void> {
  const { name: object, etag, lastModified } = listed;
  const { conditionalDelete, orderedWrites } = backend.capabilities;
  const generation = (listedSummary(listed) ?? listedOutline(listed))?.generation;
  const order =
    orderedWrites && generation !== undefined && isIndex(listed)
      ? placeOfRemoval(generation, lastModified)
      : undefined;
  const isExact = conditionalDelete && order === undefined;
  const precondition = isExact ? { etag, lastModified } : undefined;
  try {
    await backend.deleteObject(call, { ...container, object }, precondition, { order });
  } catch (error) {
    if (!isCode(error, 'NoSuchObject')) throw error;
  }
}
