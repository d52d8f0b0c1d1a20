import type {
  CallContext,
  DeleteOptions,
  DeleteOutcome,
  DeletePrecondition,
  ObjectRef,
} from '../backend.js';
import { BackendError } from '../errors.js';
import { answerError } from './answer-error.js';
import { deleteExactly, deleteExclusively, type PresentCondition } from './exact-deletes.js';
import type { Guards } from './guards.js';
import type { Expiry, ObjectLooks } from './object-looks.js';
import { refuseEtagCondition } from './put-answer.js';
import type { ReadParts } from './read-parts.js';

/** Deletes objects; of a large one the manifest, of a link the link. */
export class ObjectDeletes {
  constructor(
    private readonly parts: ReadParts,
    private readonly looks: ObjectLooks,
    private readonly guards: Guards,
  ) {}

  /**
   * @throws BackendError NoSuchContainer, NoSuchObject, GuardMissing; Unsupported for a precondition
   *   on an ETag without the filter; Unavailable and Timeout, when nobody knows what became of it
   */
  async delete(
    context: CallContext,
    ref: ObjectRef,
    precondition: DeletePrecondition | undefined,
    { guard, openExpired }: DeleteOptions = {},
  ): Promise<DeleteOutcome> {
    const { transport, limits } = this.parts;
    const expiry = { openExpired };
    // It is the filter that makes them exact.
    if (limits.filter === undefined) refuseEtagCondition(ref, precondition);
    // Whoever is overtaken hears of that, and not of what the object came to.
    await this.guards.check(context, guard);
    if (precondition !== undefined && 'absent' in precondition) {
      return this.#deleteNothing(context, ref, expiry);
    }
    if (precondition !== undefined && 'present' in precondition) {
      const outcome = await this.#deleteExclusively(context, ref, precondition, expiry);
      if (outcome.outcome === 'deleted') await this.guards.consume(context, guard, ref);
      return outcome;
    }
    const removedManifest = await this.looks.manifest(context, ref, expiry);
    const response =
      precondition === undefined
        ? await transport.request({
            context,
            method: 'DELETE',
            ...ref,
            // Deleting twice what others may write in between is as if this had come later.
            repeatable: guard === undefined,
          })
        : await deleteExactly({ transport, looks: this.looks }, context, ref, precondition, expiry);
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
    const { transport, limits } = this.parts;
    if (limits.filter?.exclusiveDelete !== true) refuseEtagCondition(ref, condition);
    const deleted = await deleteExclusively(
      { transport, looks: this.looks },
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
    const found = await this.looks.itself(context, ref, expiry);
    if (found === undefined) throw await this.#missing(context, ref);
    return { outcome: 'precondition_failed' };
  }

  async #missing(context: CallContext, ref: ObjectRef): Promise<BackendError> {
    return missingObject(this.parts, context, ref);
  }
}

/** Swift does not tell an object that is missing from its container. */
export async function missingObject(
  parts: ReadParts,
  context: CallContext,
  ref: ObjectRef,
): Promise<BackendError> {
  const { account, container, object } = ref;
  if (await parts.heads.exists(context, { account, container })) {
    return new BackendError('NoSuchObject', `no object ${object} in ${account}/${container}`);
  }
  return new BackendError('NoSuchContainer', `no container ${account}/${container}`);
}

const DELETED: DeleteOutcome = { outcome: 'deleted' };
