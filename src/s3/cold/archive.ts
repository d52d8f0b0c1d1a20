import { createHash } from 'node:crypto';
import type { ObjectHead, ObjectRef, GetObjectResult } from '../../backend/backend.js';
import { isOurHop } from '../../backend/own-hops.js';
import { locationOf, type ColdCopy } from '../../cold/cold-backend.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import { coldWorkOf, type ColdObject } from '../rules/cold/cold-object.js';
import {
  bodyRefOf,
  coldObjectOf,
  stateUpdate,
  unchanged,
  goneIfMissing,
  headIfThere,
  type ColdOutcome,
  type ColdTools,
  isCopyOf,
  isMissing,
} from './cold-object.js';
import { isVerifiable, verified } from './verified-body.js';

/** The object that the decision was made on. */
type Seen = Pick<ObjectHead, 'etag' | 'lastModified'>;

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
  // If the store cannot update listings, they would ask for the same again and again.
  const isThere = head.systemMetadata[SYSTEM_METADATA.storageClass] === storageClass;
  if (!listingUpdates && isThere) return 'changed';
  const update = withClass(stateUpdate(backend.capabilities, state, listed), storageClass);
  const condition = unchanged(head, stamp);
  const body = bodyRefOf(ref, head);
  if (body === undefined) return 'unsupported';
  const { outcome } = await backend.updateObject(call, body, update, condition);
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

/**
 * Copies a due-cold object into the cold backend, and stamps it once the copy is durable. A crash
 * in between leaves a copy that the next attempt finds, since the same content of an object always
 * has the same id; an object that changed meanwhile is left alone.
 *
 * @param ref - the object itself, not a link to it
 * @returns `unsupported` for an object whose ETag is not derived from its bytes: a copy could not
 *   be verified
 * @throws BackendError, ColdError
 */
export function archiveObject(tools: ColdTools, ref: ObjectRef): Promise<ColdOutcome> {
  return goneIfMissing(archive(tools, ref));
}

async function archive(tools: ColdTools, ref: ObjectRef): Promise<ColdOutcome> {
  const { backend, call, classes, now } = tools;
  const head = await headIfThere(tools, ref);
  if (head === undefined) return 'gone';
  const object = coldObjectOf(head, classes);
  if (head.link !== undefined || object === undefined) return 'changed';
  // Checked again here: the listed object may have been restored since.
  if (coldWorkOf(object, false, now()) !== 'archive') return 'changed';
  const policy = classes.get(object.storageClass);
  if (policy === undefined) return 'unsupported';
  const copy = await describeCopy(tools, ref, head, policy);
  if (!isVerifiable(copy) || !isOfOurs(copy)) return 'unsupported';
  if (!(await hasCopy(tools, copy)) && !(await copyBody(tools, ref, head, object, copy))) {
    return 'changed';
  }
  const state = { ...object.state, copy: { policy, id: copy.id } };
  const update = stateUpdate(backend.capabilities, state, 'archived');
  const { outcome } = await backend.updateObject(call, ref, update, unchanged(head, object.stamp));
  return outcome === 'updated' ? 'done' : 'changed';
}

async function describeCopy(
  { backend, call }: ColdTools,
  ref: ObjectRef,
  { size, etag, lastModified, segmentCount }: ObjectHead,
  policy: number,
): Promise<ColdCopy> {
  const { account, container, object } = ref;
  const segments = segmentCount === undefined ? undefined : await backend.getSegments(call, ref);
  const id = copyId(ref, { etag, lastModified });
  return { policy, account, id, container, object, size, etag, lastModified, segments };
}

/** Whether a restore would write what belongs to this key, and nothing else. */
function isOfOurs({ account, container, object, segments }: ColdCopy): boolean {
  const ref = { account, container, object };
  return segments?.every((segment) => isOurHop(ref, { account, ...segment })) !== false;
}

/** Unique for each content of each object; the account is a part of where copies lie. */
function copyId(
  { container, object }: ObjectRef,
  { etag, lastModified }: Pick<ObjectHead, 'etag' | 'lastModified'>,
): string {
  const name = JSON.stringify([container, object, etag, lastModified]);
  return createHash('sha256').update(name).digest('hex');
}

/** An earlier attempt may have come that far. Its copy is read when it matters: see release.ts. */
async function hasCopy({ cold }: ColdTools, copy: ColdCopy): Promise<boolean> {
  const found = await cold.find(locationOf(copy));
  return found !== undefined && isCopyOf(found, copy);
}

/** @returns false when the object is another one by now */
async function copyBody(
  { backend, call, cold, digests, classes }: ColdTools,
  ref: ObjectRef,
  head: ObjectHead,
  { stamp }: ColdObject,
  copy: ColdCopy,
): Promise<boolean> {
  const found = await backend.getObject(call, ref);
  const now = coldObjectOf(found.head, classes);
  if (!isWhole(found, head) || now?.stamp !== stamp) {
    found.body.cancel();
    return false;
  }
  try {
    await cold.put(copy, verified(found.body.source, copy, digests), call.cancellation?.signal);
    return true;
  } catch (error) {
    found.body.cancel();
    // The segments of an object that was replaced meanwhile go away under its reader.
    if (await isReplaced(backend.headObject(call, ref), head)) return false;
    throw error;
  }
}

/** Never the answer to a part of an object: SPEC.md 3.4. */
function isWhole({ head, range, body }: GetObjectResult, wanted: ObjectHead): boolean {
  return range === undefined && body.length === wanted.size && isSame(head, wanted);
}

function isSame(a: ObjectHead, b: ObjectHead): boolean {
  return a.size === b.size && a.etag === b.etag && a.lastModified === b.lastModified;
}

async function isReplaced(now: Promise<ObjectHead>, head: ObjectHead): Promise<boolean> {
  try {
    return !isSame(await now, head);
  } catch (error) {
    return isMissing(error);
  }
}
