import type {
  Backend,
  CallContext,
  ContainerRef,
  ListedObject,
  ListingEntry,
  ObjectPage,
} from '../../backend/backend.js';
import { mapLimited } from '../../lib/promises.js';
import { isCode } from '../../backend/errors.js';
import { archiveContainer, parseArchiveName } from './names.js';

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
  do {
    const query = { marker, limit: NAMES_PER_LISTING };
    const page = await backend.listObjects(call, container, query);
    const old = page.entries.flatMap((entry) => oldObject(entry, before));
    const indexes = old.filter(isIndex);
    await removeAll(old.filter((object) => !isIndex(object)));
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

function oldObject(entry: ListingEntry, before: number): readonly ListedObject[] {
  return entry.kind === 'object' && entry.object.lastModified < before ? [entry.object] : [];
}

function isIndex({ name }: ListedObject): boolean {
  return parseArchiveName(name)?.kind === 'index';
}

/** Removes only the very object that was listed, if the store can ensure that. */
async function removeObject(
  backend: Backend,
  call: CallContext,
  container: ContainerRef,
  { name: object, etag, lastModified }: ListedObject,
): Promise<void> {
  const { conditionalDelete } = backend.capabilities;
  const precondition = conditionalDelete ? { etag, lastModified } : undefined;
  try {
    await backend.deleteObject(call, { ...container, object }, precondition);
  } catch (error) {
    if (!isCode(error, 'NoSuchObject')) throw error;
  }
}
