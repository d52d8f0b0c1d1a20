import type {
  Capabilities,
  ObjectHead,
  ObjectRef,
  UpdatePrecondition,
  Backend,
  CallContext,
} from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import type { ColdBackend, ColdCopy } from '../../cold/cold-backend.js';
import type { DigestFactory } from '../../digest/body-digest.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import type { ColdClasses } from '../rules/cold/classes.js';
import type { ColdObject } from '../rules/cold/cold-object.js';
import { isLinkToVersion } from '../versions/names.js';
import { parseColdState, renderColdState, type ColdState } from '../rules/cold/state.js';
import { DEFAULT_STORAGE_CLASS } from '../rules/storage-class.js';

/** Objects of the cold tier as the store keeps them. */

type ColdHead = Pick<ObjectHead, 'lastModified' | 'systemMetadata' | 'bodyAbsent'>;

/**
 * An object is cold when a lifecycle rule has stamped it, or when it was written with a cold storage
 * class, as in AWS. Its stamp counts also when its class is not configured any more.
 *
 * @returns undefined for any other object
 * @throws S3Error `InternalError` for a stamp that cannot be read
 */
export function coldObjectOf(head: ColdHead, classes: ColdClasses): ColdObject | undefined {
  const { lastModified, systemMetadata } = head;
  const bodyAbsent = head.bodyAbsent === true;
  const stamp = systemMetadata[SYSTEM_METADATA.cold];
  const storageClass = systemMetadata[SYSTEM_METADATA.storageClass] ?? DEFAULT_STORAGE_CLASS;
  if (stamp !== undefined) {
    return { storageClass, state: parseColdState(stamp), stamp, bodyAbsent };
  }
  if (!bodyAbsent && !classes.has(storageClass)) return undefined;
  return { storageClass, state: { dueAt: lastModified }, stamp: null, bodyAbsent };
}

/**
 * The place of an object's body: updates through a link change the link itself.
 * @returns undefined of what was reached by a link of a client of the store, which is left alone
 */
export function bodyRefOf(ref: ObjectRef, head: ObjectHead): ObjectRef | undefined {
  if (head.link === undefined) return ref;
  return isLinkToVersion(ref, head) ? { ...ref, ...head.link.target } : undefined;
}

/** The precondition of an update: the object is the one that was looked at, in the same state. */
export function unchanged(
  { etag, lastModified }: Pick<ObjectHead, 'etag' | 'lastModified'>,
  stamp: string | null,
): UpdatePrecondition {
  return { etag, lastModified, systemMetadata: { [SYSTEM_METADATA.cold]: stamp } };
}

/**
 * The cold state of an object in its listing entry, so that a pass of the janitor need not read
 * each object. `archived`: the cold backend has its bytes; `absent`: only the cold backend has
 * them.
 */
type ListedColdState = 'archived' | 'absent' | null;

/** A new state, as a part of an update; where listings cannot be changed, they do not show it. */
export function stateUpdate(
  { listingUpdates }: Pick<Capabilities, 'listingUpdates'>,
  state: ColdState | null,
  listed: ListedColdState,
) {
  return {
    systemMetadata: { [SYSTEM_METADATA.cold]: state === null ? null : renderColdState(state) },
    listingAttributes: listingUpdates ? { [SYSTEM_METADATA.cold]: listed } : undefined,
  };
}

/** The tools to move bytes between the store and the cold backend. */
export interface ColdTools {
  readonly backend: Backend;
  readonly call: CallContext;
  readonly cold: ColdBackend;
  readonly digests: DigestFactory;
  readonly classes: ColdClasses;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** `changed`: it is not any more the object that was looked at, and was left alone. */
export type ColdOutcome = 'done' | 'changed' | 'gone' | 'unsupported';

/** @returns undefined when there is no such object, or its container is gone: see isMissing */
export async function headIfThere(
  { backend, call }: Pick<ColdTools, 'backend' | 'call'>,
  ref: ObjectRef,
): Promise<ObjectHead | undefined> {
  try {
    return await backend.headObject(call, ref);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** An object that vanished under a call is gone, not a failure. */
export async function goneIfMissing(work: Promise<ColdOutcome>): Promise<ColdOutcome> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return 'gone';
    throw error;
  }
}

/**
 * Also of a pointer of a client of the store, such as a link to another container: the gateway's own
 * work has no requester whose rights could count, and leaves it alone.
 */
export function isMissing(error: unknown): boolean {
  return isCode(error, 'NoSuchObject', 'NoSuchContainer', 'Denied');
}

/** Whether a copy is of this very object, as it is now. */
export function isCopyOf(
  { size, etag }: Pick<ColdCopy, 'size' | 'etag'>,
  head: Pick<ObjectHead, 'size' | 'etag'>,
): boolean {
  return size === head.size && etag === head.etag;
}
