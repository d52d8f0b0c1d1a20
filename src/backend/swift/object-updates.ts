import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SerialQueues } from '../../lib/promises.js';
import type {
  CallContext,
  ObjectRef,
  ObjectUpdate,
  UpdateOutcome,
  UpdatePrecondition,
} from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';
import { meets } from '../update-precondition.js';
import { answerError } from './status-errors.js';
import { missingObject } from './object-deletes.js';
import type { FoundObject, ObjectHeads, ReadDeps } from './object-heads.js';
import { postHeaders } from './stored-object.js';
import { justAfter } from './timestamps.js';
import type { RequestHeaders, SwiftResponse } from './transport.js';

/** The limit of attempts against concurrent updates: each time another one succeeded. */
const ATTEMPTS_MAX = 20;
const PAUSE_MS_MAX = 50;

/**
 * Changes objects in place, by Swift's POST, which replaces all metadata: metadata that stays is
 * read before and sent again. The POST has a time right after the object that was read, so that
 * Swift drops it if anything newer exists or arrives: metadata of one object never lands on
 * another. This also keeps the time of the object in listings.
 *
 * If two gateways update one object from the same state, the filter lets one through, and the other
 * reads again; within a gateway updates wait for each other. Without the filter a POST has the
 * present time, and may land on a write that came in between.
 */
export class ObjectUpdates {
  readonly #queues = new SerialQueues();

  constructor(
    private readonly deps: ReadDeps,
    private readonly objectHeads: ObjectHeads,
  ) {}

  /**
   * Updates an object. The precondition is checked right before.
   * @throws BackendError NoSuchContainer, NoSuchObject; Unsupported for listing attributes;
   *   Unavailable and Timeout, when the outcome is unknown
   */
  update(
    context: CallContext,
    ref: ObjectRef,
    update: ObjectUpdate,
    precondition: UpdatePrecondition | undefined,
  ): Promise<UpdateOutcome> {
    refuseListingAttributes(ref, update);
    const name = `${ref.account}/${ref.container}/${ref.object}`;
    return this.#queues.run(name, () => this.#update(context, ref, update, precondition));
  }

  async #update(
    context: CallContext,
    ref: ObjectRef,
    update: ObjectUpdate,
    precondition: UpdatePrecondition | undefined,
  ): Promise<UpdateOutcome> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      throwIfAborted(context);
      const found = await this.objectHeads.itself(context, ref, {
        openExpired: update.openExpired,
      });
      if (found === undefined) throw await missingObject(this.deps, context, ref);
      if (!meets(found.stored.head, precondition)) return FAILED;
      const response = await this.#post(context, ref, found, update);
      const { status } = response;
      // Swift answers a POST of a link like this, and has changed the link.
      if (status === 202 || status === 307) {
        response.cancel();
        return UPDATED;
      }
      if (status !== 409 && status !== 404) {
        throw await answerError('object', 'POST', ref, response);
      }
      // It was written, updated or deleted meanwhile.
      response.cancel();
      if (attempt > 1) await delay(Math.random() * PAUSE_MS_MAX);
    }
    const detail = `others keep changing ${ref.container}/${ref.object}`;
    throw new BackendError('Unavailable', detail);
  }

  #post(
    context: CallContext,
    ref: ObjectRef,
    { stored, headers }: FoundObject,
    update: ObjectUpdate,
  ): Promise<SwiftResponse> {
    const { limits, transport } = this.deps;
    const isTimed = limits.filter !== undefined;
    return transport.request({
      context,
      method: 'POST',
      ...ref,
      headers: {
        ...postHeaders(stored, update, limits),
        ...(isTimed && timeHeaders(headers.get('x-timestamp'))),
      },
    });
  }
}

/**
 * Headers with a unique offset of the time, so that all servers order two updates of one state the
 * same way, and their copies of the object become equal.
 */
function timeHeaders(timestamp: string | undefined): RequestHeaders {
  const own = randomBytes(6).toString('hex').padStart(16, '0');
  return {
    'x-gateway-not-newer': `${justAfter(timestamp)}_${own}`,
    ...(timestamp !== undefined && { 'x-gateway-state': timestamp }),
  };
}

/** Swift shows what the PUT said. @throws BackendError Unsupported */
function refuseListingAttributes(
  { container, object }: ObjectRef,
  { listingAttributes }: ObjectUpdate,
): void {
  if (listingAttributes === undefined || Object.keys(listingAttributes).length === 0) return;
  const detail = `what a listing shows of ${container}/${object} cannot be changed`;
  throw new BackendError('Unsupported', `${detail}: see capabilities.listingUpdates`);
}

const UPDATED: UpdateOutcome = { outcome: 'updated' };
const FAILED: UpdateOutcome = { outcome: 'precondition_failed' };
