import { setTimeout as delay } from 'node:timers/promises';
import type {
  CallContext,
  DeletePrecondition,
  ObjectHead,
  ObjectRef,
  WritePrecondition,
  DeleteOptions,
  DeleteOutcome,
} from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';
import type { Guards } from './guards.js';
import type { Expiry, FoundObject, ObjectHeads, ReadDeps } from './object-heads.js';
import { orderHeaders, refuseEtagCondition } from './put-answer.js';
import { answerError } from './status-errors.js';
import { justAfter, notNewerThan } from './timestamps.js';
import {
  type SwiftResponse,
  type SwiftTransport,
  unlessBusy,
  retryWhileBusy,
} from './transport.js';

/**
 * Deletions of one particular write. Swift orders writes by their time, so a deletion with the time
 * of the object that was read never removes a later write: that stays, and the answer is 409. The
 * filter sets the time of a request (`X-Gateway-Not-Newer`).
 *
 * A replica that is away at the time may bring an object back that was older than Swift's
 * `reclaim_age`, since the tombstone is as old: callers of such a deletion check again later.
 */

type Condition = Exclude<WritePrecondition, { readonly absent: true }>;

/** An update moves the time of an object and is no write of it: then its new one is tried, once. */
const ATTEMPTS_MAX = 2;

/**
 * @returns the answer; undefined when something else is there
 * @throws BackendError NoSuchObject when nothing is; Unsupported without the filter
 */
async function deleteExactly(
  {
    transport,
    objectHeads: looks,
  }: { readonly transport: SwiftTransport; readonly objectHeads: ObjectHeads },
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

type PresentCondition = Extract<DeletePrecondition, { readonly present: true }>;

/** The limit of attempts against concurrent writers: each time another one succeeded. */
const EXCLUSIVE_ATTEMPTS_MAX = 20;
const PAUSE_MS_MAX = 50;

/**
 * Deletes the current object if it meets the condition, so that one of several concurrent deletions
 * succeeds. Swift's servers alone accept each deletion that came first to one of them; the filter
 * lets one at a time check and delete.
 *
 * @returns the head of what was deleted; `another` when the object has another ETag
 * @throws BackendError Unavailable and Timeout, when the outcome is unknown
 */
async function deleteExclusively(
  {
    transport,
    objectHeads: looks,
  }: { readonly transport: SwiftTransport; readonly objectHeads: ObjectHeads },
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
    const response = await retryWhileBusy(context, ref, () =>
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
  objectHeads: ObjectHeads,
  context: CallContext,
  ref: ObjectRef,
  condition: Condition,
  expiry: Expiry,
): Promise<string | undefined> {
  const found = await objectHeads.itself(context, ref, expiry);
  if (found === undefined) {
    throw new BackendError('NoSuchObject', `no object ${ref.object} in ${ref.container}`);
  }
  return isIt(found, condition) ? justAfter(found.headers.get('x-timestamp')) : undefined;
}

function isIt({ stored: { head } }: FoundObject, { etag, lastModified }: Condition): boolean {
  return head.etag === etag && (lastModified ?? head.lastModified) === head.lastModified;
}

/** Deletes objects; of a large one the manifest, of a link the link. */
export class ObjectDeletes {
  constructor(
    private readonly deps: ReadDeps,
    private readonly objectHeads: ObjectHeads,
    private readonly guards: Guards,
  ) {}

  /**
   * @throws BackendError NoSuchContainer, NoSuchObject, GuardMissing; Unsupported for a
   *   precondition on an ETag without the filter; Unavailable and Timeout, when the outcome is
   *   unknown
   */
  async delete(
    context: CallContext,
    ref: ObjectRef,
    precondition: DeletePrecondition | undefined,
    { guard, order, openExpired }: DeleteOptions = {},
  ): Promise<DeleteOutcome> {
    const { transport, limits } = this.deps;
    const expiry = { openExpired };
    // It is the filter that makes them exact.
    if (limits.filter === undefined) refuseEtagCondition(ref, precondition);
    // A write that lost the guard reports that, not the state of the object.
    await this.guards.check(context, guard);
    if (precondition !== undefined && 'absent' in precondition) {
      return this.#deleteNothing(context, ref, expiry);
    }
    if (precondition !== undefined && 'present' in precondition) {
      const outcome = await this.#deleteExclusively(context, ref, precondition, expiry);
      if (outcome.outcome === 'deleted') await this.guards.consume(context, guard, ref);
      return outcome;
    }
    const removedManifest =
      order === undefined ? await this.objectHeads.manifest(context, ref, expiry) : undefined;
    const response =
      precondition === undefined
        ? await transport.request({
            context,
            method: 'DELETE',
            ...ref,
            headers: orderHeaders(order),
            // Deleting twice what others may write in between is as if this had come later.
            repeatable: guard === undefined,
          })
        : await deleteExactly(
            { transport, objectHeads: this.objectHeads },
            context,
            ref,
            precondition,
            expiry,
          );
    if (response === undefined) return { outcome: 'precondition_failed' };
    // Something newer is there; Swift keeps that.
    if (response.status === 409) {
      response.cancel();
      return { outcome: 'stale' };
    }
    if (response.status === 404) {
      response.cancel();
      throw await this.#missing(context, ref);
    }
    if (response.status !== 204) throw await answerError('object', 'DELETE', ref, response);
    response.cancel();
    await this.guards.consume(context, guard, ref);
    return removedManifest === undefined ? DELETED : { outcome: 'deleted', removedManifest };
  }

  /** @throws BackendError as {@link delete}; Unsupported where a filter does not know it */
  async #deleteExclusively(
    context: CallContext,
    ref: ObjectRef,
    condition: PresentCondition,
    expiry: Expiry,
  ): Promise<DeleteOutcome> {
    const { transport, limits } = this.deps;
    if (limits.filter?.exclusiveDelete !== true) refuseEtagCondition(ref, condition);
    const deleted = await deleteExclusively(
      { transport, objectHeads: this.objectHeads },
      context,
      ref,
      condition,
      expiry,
    );
    if (deleted === 'missing') throw await this.#missing(context, ref);
    if (deleted === 'another') return { outcome: 'precondition_failed' };
    if (deleted.segmentCount === undefined) return DELETED;
    const { size, etag, systemMetadata } = deleted;
    return { outcome: 'deleted', removedManifest: { size, etag, systemMetadata } };
  }

  /** On the condition that nothing is there. @throws BackendError NoSuchContainer, NoSuchObject */
  async #deleteNothing(
    context: CallContext,
    ref: ObjectRef,
    expiry: Expiry,
  ): Promise<DeleteOutcome> {
    const found = await this.objectHeads.itself(context, ref, expiry);
    if (found === undefined) throw await this.#missing(context, ref);
    return { outcome: 'precondition_failed' };
  }

  async #missing(context: CallContext, ref: ObjectRef): Promise<BackendError> {
    return missingObject(this.deps, context, ref);
  }
}

/** Swift does not tell an object that is missing from its container. */
export async function missingObject(
  deps: ReadDeps,
  context: CallContext,
  ref: ObjectRef,
): Promise<BackendError> {
  const { account, container, object } = ref;
  if (await deps.heads.exists(context, { account, container })) {
    return new BackendError('NoSuchObject', `no object ${object} in ${account}/${container}`);
  }
  return new BackendError('NoSuchContainer', `no container ${account}/${container}`);
}

const DELETED: DeleteOutcome = { outcome: 'deleted' };
