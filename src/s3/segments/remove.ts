import type { Backend, CallContext, ContainerRef, ObjectRef } from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import { mapLimited } from '../../lib/promises.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import type { DeletedBucket } from '../versions/remove.js';
import { versionsOf, readParts, type StoredPart } from './parts.js';
import { markerOf, partOf, segmentsContainer, targetOf, type Upload } from './names.js';

/** Removes what nothing refers to any more. */

/** Deletions under way at once: enough to share the store's commits, not enough to crowd it. */
const CONCURRENCY = 16;
const NAMES_PER_LISTING = 1000;

export type RemovalOutcome =
  | { readonly outcome: 'removed'; readonly parts: number }
  /** The upload is still open: its parts are not anybody's garbage. */
  | { readonly outcome: 'open' };

/**
 * Removes the parts of an upload that is not open, except for those that the object at its key, or
 * a version of it, is made of. It is called after an abort, after a completion that left parts out,
 * and after the object was overwritten or deleted; calling it twice changes nothing.
 *
 * The check and the removal are not atomic. On a store without atomic guards, a completion that has
 * seen the marker may make an object of the parts in between: there, callers wait for a grace
 * period after the marker is gone.
 * @param notAfter - leaves younger parts alone, in milliseconds since the epoch: a restore from the
 *   cold tier may be writing them
 */
export async function removeUnreferencedParts(
  backend: Backend,
  call: CallContext,
  upload: Upload,
  notAfter = Infinity,
): Promise<RemovalOutcome> {
  if (await exists(backend, call, markerOf(upload))) return { outcome: 'open' };
  const kept = await segmentsInUse(backend, call, upload);
  const parts = await readParts(backend, call, upload);
  const doomed = parts.filter(
    ({ partNumber, lastModified }) =>
      lastModified <= notAfter && !kept.has(partOf(upload, partNumber).object),
  );
  await mapLimited(doomed, CONCURRENCY, (part) => removePart(backend, call, upload, part));
  return { outcome: 'removed', parts: doomed.length };
}

/**
 * Removes the companion container of a bucket that was deleted, with all that is in it: open
 * uploads do not keep a bucket from being deleted, as in AWS.
 *
 * Another client may have made the bucket again in the meantime, and objects of parts in it. So
 * objects younger than the deletion stay, and only the very objects that were listed are removed,
 * if the store can ensure that. The sweeper handles the rest.
 */
export async function removeSegmentsContainer(
  backend: Backend,
  call: CallContext,
  { account, bucket, deletedAfter }: DeletedBucket,
): Promise<void> {
  const container = segmentsContainer(account, bucket);
  try {
    await emptyContainer(backend, call, container, deletedAfter);
    await backend.deleteContainer(call, container);
  } catch (error) {
    if (!isCode(error, 'NoSuchContainer') && !isCode(error, 'ContainerNotEmpty')) throw error;
  }
}

async function emptyContainer(
  backend: Backend,
  call: CallContext,
  container: ContainerRef,
  notAfter: number,
): Promise<void> {
  const { conditionalDelete } = backend.capabilities;
  let marker: string | undefined;
  do {
    const page = await backend.listObjects(call, container, { marker, limit: NAMES_PER_LISTING });
    const objects = page.entries.flatMap((entry) =>
      entry.kind === 'object' ? [entry.object] : [],
    );
    const old = objects.filter(({ lastModified }) => lastModified <= notAfter);
    await mapLimited(old, CONCURRENCY, ({ name: object, etag, lastModified }) => {
      const precondition = conditionalDelete ? { etag, lastModified } : undefined;
      return removeObject(backend, call, { ...container, object }, precondition);
    });
    marker = page.truncated ? objects.at(-1)?.name : undefined;
  } while (marker !== undefined);
}

async function exists(backend: Backend, call: CallContext, ref: ObjectRef): Promise<boolean> {
  try {
    await backend.headObject(call, ref);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Names of the parts that the object at the upload's key, or a version of it, is made of. */
async function segmentsInUse(
  backend: Backend,
  call: CallContext,
  upload: Upload,
): Promise<ReadonlySet<string>> {
  const objects = [targetOf(upload), ...(await versionsOf(backend, call, upload))];
  const used = await mapLimited(objects, CONCURRENCY, (ref) =>
    segmentsOf(backend, call, upload, ref),
  );
  return new Set(used.flat());
}

async function segmentsOf(
  backend: Backend,
  call: CallContext,
  upload: Upload,
  ref: ObjectRef,
): Promise<string[]> {
  try {
    const head = await backend.headObject(call, ref).catch((error: unknown) => {
      if (!isCode(error, 'Denied')) throw error;
      // A client of the store has made a pointer of it: of a manifest, the segments can be read still.
      return undefined;
    });
    const uploadId = head?.systemMetadata[SYSTEM_METADATA.uploadId];
    if (head !== undefined && uploadId !== upload.uploadId) return [];
    const segments = await backend.getSegments(call, ref);
    return segments?.map(({ object }) => object) ?? [];
  } catch (error) {
    if (isGone(error) || isCode(error, 'Denied')) return [];
    throw error;
  }
}

/** Removes only the very part that was listed, if the store can ensure that. */
async function removePart(
  backend: Backend,
  call: CallContext,
  upload: Upload,
  { partNumber, etag, lastModified }: StoredPart,
): Promise<void> {
  const { conditionalDelete } = backend.capabilities;
  const precondition = conditionalDelete ? { etag, lastModified } : undefined;
  await removeObject(backend, call, partOf(upload, partNumber), precondition);
}

async function removeObject(
  backend: Backend,
  call: CallContext,
  ref: ObjectRef,
  precondition?: { readonly etag: string; readonly lastModified: number },
): Promise<void> {
  try {
    await backend.deleteObject(call, ref, precondition);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

function isGone(error: unknown): boolean {
  return isCode(error, 'NoSuchObject') || isCode(error, 'NoSuchContainer');
}

function isCode(error: unknown, code: BackendError['code']): boolean {
  return error instanceof BackendError && error.code === code;
}
