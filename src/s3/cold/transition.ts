import type { ObjectHead, ObjectRef } from '../../backend/backend.js';
import { SYSTEM_METADATA } from '../object-attributes.js';
import { bodyRefOf, coldObjectOf, stateUpdate, unchanged } from './cold-object.js';
import { goneIfMissing, headIfThere, type ColdOutcome, type ColdTools } from './cold-tools.js';

/** What was decided on. */
export type Seen = Pick<ObjectHead, 'etag' | 'lastModified'>;

/**
 * Moves an object to another storage class; when that is a cold one, it is stamped as due-cold, and
 * can be read from now on only when it is restored (SPEC.md 3.4). ETag and LastModified stay.
 *
 * @param ref - an object, or a link to one, whose listing entry shows the class as well
 * @param seen - the object's, or the link's
 * @throws BackendError
 */
export function transitionObject(
  tools: Omit<ColdTools, 'cold' | 'digests'>,
  ref: ObjectRef,
  seen: Seen,
  storageClass: string,
): Promise<ColdOutcome> {
  return goneIfMissing(transition(tools, ref, seen, storageClass));
}

async function transition(
  tools: Omit<ColdTools, 'cold' | 'digests'>,
  ref: ObjectRef,
  seen: Seen,
  storageClass: string,
): Promise<ColdOutcome> {
  const { backend, call, classes, now } = tools;
  const head = await headIfThere(tools, ref);
  if (head === undefined) return 'gone';
  const { link } = head;
  const { etag, lastModified } = link ?? head;
  if (etag !== seen.etag || lastModified !== seen.lastModified) return 'changed';
  const object = coldObjectOf(head, classes);
  const stamp = object?.stamp ?? null;
  const isDue = classes.has(storageClass);
  const state = stamp === null && !isDue ? null : (object?.state ?? { dueAt: now() });
  const listed = head.bodyAbsent === true ? 'absent' : state?.copy ? 'archived' : null;
  const { listingUpdates } = backend.capabilities;
  // Where listings cannot follow, they ask for the same again and again.
  const isThere = head.systemMetadata[SYSTEM_METADATA.storageClass] === storageClass;
  if (!listingUpdates && isThere) return 'changed';
  const update = withClass(stateUpdate(backend.capabilities, state, listed), storageClass);
  const condition = unchanged(head, stamp);
  const { outcome } = await backend.updateObject(call, bodyRefOf(ref, head), update, condition);
  if (outcome !== 'updated') return 'changed';
  if (link !== undefined && listingUpdates) {
    const { listingAttributes } = update;
    await backend.updateObject(call, ref, { listingAttributes }, { etag, lastModified });
  }
  return 'done';
}

function withClass(update: ReturnType<typeof stateUpdate>, storageClass: string) {
  const shown = { [SYSTEM_METADATA.storageClass]: storageClass };
  return {
    systemMetadata: { ...update.systemMetadata, ...shown },
    listingAttributes: update.listingAttributes && { ...update.listingAttributes, ...shown },
  };
}
