import { setTimeout as delay } from 'node:timers/promises';
import type {
  CallContext,
  DeletePrecondition,
  ObjectHead,
  ObjectRef,
  WritePrecondition,
} from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';
import { justAfter, notNewerThan } from './timestamps.js';
import type { Expiry, FoundObject, ObjectLooks } from './object-looks.js';
import { answerError } from './answer-error.js';
import type { SwiftResponse, SwiftTransport } from './transport.js';
import { unlessBusy, whileBusy } from './while-busy.js';

/**
 * Deletions of one certain write. Swift orders writes by their time, so that a deletion as of the
 * time of what was seen never takes what was written since: that stays, and the answer is 409. It is
 * the filter that sets the time of a request (`X-Gateway-Not-Newer`).
 *
 * A replica that is away at the time may bring an object back that was older than Swift's
 * `reclaim_age`, since the tombstone is as old: whoever deletes so looks again some day.
 */

type Condition = Exclude<WritePrecondition, { readonly absent: true }>;

/** An update moves the time of an object and is no write of it: then its new one is tried, once. */
const ATTEMPTS_MAX = 2;

/**
 * @returns the answer; undefined when something else is there
 * @throws BackendError NoSuchObject when nothing is; Unsupported without the filter
 */
export async function deleteExactly(
  { transport, looks }: { readonly transport: SwiftTransport; readonly looks: ObjectLooks },
  context: CallContext,
  ref: ObjectRef,
  condition: Condition,
  expiry: Expiry = {},
): Promise<SwiftResponse | undefined> {
  let limit =
    condition.lastModified === undefined ? undefined : notNewerThan(condition.lastModified);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    limit ??= await limitOf(looks, context, ref, condition, expiry);
    if (limit === undefined) return undefined;
    const headers = { 'x-gateway-not-newer': limit };
    // Deleting as of that time again is the same.
    const response = await transport.request({
      context,
      method: 'DELETE',
      ...ref,
      headers,
      repeatable: true,
    });
    if (response.status !== 409) return response;
    response.cancel();
    limit = undefined;
  }
  return undefined;
}

export type PresentCondition = Extract<DeletePrecondition, { readonly present: true }>;

/** Of meeting others who write or change the same object: each time somebody else got through. */
const EXCLUSIVE_ATTEMPTS_MAX = 20;
const PAUSE_MS_MAX = 50;

/**
 * Deletes what is there by now, where it is what the condition wants, so that of several who do one
 * succeeds. Swift's servers alone let each deletion through that came first to one of them; the
 * filter lets one at a time look and delete.
 *
 * @returns the head of what was deleted; `another` when the object has another ETag
 * @throws BackendError Unavailable and Timeout, when nobody knows what became of it
 */
export async function deleteExclusively(
  { transport, looks }: { readonly transport: SwiftTransport; readonly looks: ObjectLooks },
  context: CallContext,
  ref: ObjectRef,
  { etag }: PresentCondition,
  expiry: Expiry,
): Promise<ObjectHead | 'missing' | 'another'> {
  for (let attempt = 1; attempt <= EXCLUSIVE_ATTEMPTS_MAX; attempt++) {
    throwIfAborted(context);
    const found = await looks.itself(context, ref, expiry);
    if (found === undefined) return 'missing';
    const { head } = found.stored;
    if (etag !== undefined && head.etag !== etag) return 'another';
    const state = found.headers.get('x-timestamp');
    const headers = {
      'x-gateway-not-newer': justAfter(state),
      ...(state !== undefined && { 'x-gateway-state': state }),
    };
    const response = await whileBusy(context, ref, () =>
      unlessBusy(transport.request({ context, method: 'DELETE', ...ref, headers })),
    );
    if (response.status !== 204 && response.status !== 404 && response.status !== 409) {
      throw await answerError('object', 'DELETE', ref, response);
    }
    response.cancel();
    if (response.status === 204) return head;
    // It was written, updated or deleted meanwhile.
    if (attempt > 1) await delay(Math.random() * PAUSE_MS_MAX);
  }
  const detail = `others keep changing ${ref.container}/${ref.object}`;
  throw new BackendError('Unavailable', detail);
}

/** Right after the time of the very object: at its own, Swift would not delete it. @returns undefined when it is another one */
async function limitOf(
  looks: ObjectLooks,
  context: CallContext,
  ref: ObjectRef,
  condition: Condition,
  expiry: Expiry,
): Promise<string | undefined> {
  const found = await looks.itself(context, ref, expiry);
  if (found === undefined) {
    throw new BackendError('NoSuchObject', `no object ${ref.object} in ${ref.container}`);
  }
  return isIt(found, condition) ? justAfter(found.headers.get('x-timestamp')) : undefined;
}

function isIt({ stored: { head } }: FoundObject, { etag, lastModified }: Condition): boolean {
  return head.etag === etag && (lastModified ?? head.lastModified) === head.lastModified;
}
