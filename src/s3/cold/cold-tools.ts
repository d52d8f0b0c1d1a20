import type { Backend, CallContext, ObjectHead, ObjectRef } from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import type { ColdBackend, ColdCopy } from '../../cold/cold-backend.js';
import type { DigestFactory } from '../../digest/body-digest.js';
import type { ColdClasses } from '../rules/cold/classes.js';

/** What it takes to move bytes between the store and the cold backend. */
export interface ColdTools {
  readonly backend: Backend;
  readonly call: CallContext;
  readonly cold: ColdBackend;
  readonly digests: DigestFactory;
  readonly classes: ColdClasses;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** `changed`: it is not any more what was looked at, and was left alone. */
export type ColdOutcome = 'done' | 'changed' | 'gone' | 'unsupported';

/** @returns undefined when there is no such object, or its container is gone */
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

export function isMissing(error: unknown): boolean {
  if (!(error instanceof BackendError)) return false;
  return error.code === 'NoSuchObject' || error.code === 'NoSuchContainer';
}

/** Whether a copy is of this very object, as it is now. */
export function isCopyOf(
  { size, etag }: Pick<ColdCopy, 'size' | 'etag'>,
  head: Pick<ObjectHead, 'size' | 'etag'>,
): boolean {
  return size === head.size && etag === head.etag;
}
