import { cancelledBy } from '../../lib/cancellation.js';
import type { CallContext, ObjectHead, ObjectRef } from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import { ColdError } from '../../cold/cold-error.js';
import { decideRestore, type ColdObject, type RestoreDecision } from '../rules/cold/cold-object.js';
import { S3Error } from '../s3-error.js';
import { bringBack } from './bring-back.js';
import { bodyRefOf, coldObjectOf, stateUpdate, unchanged } from './cold-object.js';
import type { ColdTools } from './cold-tools.js';

/** Bodies that one process brings back at once: each takes two buffers, and a share of the disks. */
const RUNNING_MAX = 8;
/** An object that changes under each of so many attempts is not going to hold still. */
const ATTEMPTS_MAX = 8;

export type RestorerOptions = Omit<ColdTools, 'call'>;

/**
 * Opens restore windows. Bytes that only the cold backend has are brought back first, which may take
 * a while: it goes on when the client has lost patience, and who asks again meanwhile waits for the
 * same work.
 */
export class Restorer {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #ending = new AbortController();

  constructor(private readonly options: RestorerOptions) {}

  /**
   * @param ref - an object, or a link to one
   * @returns the status to answer with: 202, or 200 where a window was open already
   * @throws S3Error `InvalidObjectState` for an object that is not cold; `ServiceUnavailable` when
   *   too much is being restored, or the cold backend is away; `InternalError` when it has lost the
   *   copy. BackendError NoSuchContainer, NoSuchObject
   */
  async restore(ref: ObjectRef, days: number, { requestId }: CallContext): Promise<200 | 202> {
    const { backend, classes, now } = this.options;
    const call = { requestId, cancellation: cancelledBy(this.#ending.signal) };
    let asked: 200 | 202 | undefined;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const head = await backend.headObject(call, ref);
      const target = bodyRefOf(ref, head);
      const object = coldObjectOf(head, classes);
      const decision = decideRestore(object, days, now());
      if (object === undefined) break;
      // Who waited for somebody else's work finds the window open, and asked for it all the same.
      asked ??= decision.status;
      const running = this.#running.get(nameOf(target));
      if (running !== undefined) {
        await running.catch(ignore);
        continue;
      }
      if (await this.#open(call, target, head, object, decision)) return asked;
    }
    throw new S3Error('OperationAborted');
  }

  /** Gives up what is under way: nothing of it is visible. */
  async close(): Promise<void> {
    this.#ending.abort(new Error('the service is being stopped'));
    await Promise.allSettled(this.#running.values());
  }

  /** @returns false when the object is not any more what was decided on */
  async #open(
    call: CallContext,
    ref: ObjectRef,
    head: ObjectHead,
    object: ColdObject,
    { bringsBack, restoredUntil }: RestoreDecision,
  ): Promise<boolean> {
    const { backend } = this.options;
    if (bringsBack) return this.#bringBack(call, ref, head, object, restoredUntil);
    const { state, stamp } = object;
    const update = stateUpdate(
      backend.capabilities,
      { ...state, restoredUntil },
      state.copy ? 'archived' : null,
    );
    const { outcome } = await backend.updateObject(call, ref, update, unchanged(head, stamp));
    return outcome === 'updated';
  }

  async #bringBack(
    call: CallContext,
    ref: ObjectRef,
    head: ObjectHead,
    object: ColdObject,
    restoredUntil: number,
  ): Promise<boolean> {
    if (this.#running.size >= RUNNING_MAX) throw new S3Error('ServiceUnavailable');
    const work = bringBack({ ...this.options, call }, ref, head, object, restoredUntil);
    const name = nameOf(ref);
    this.#running.set(name, work);
    try {
      const { outcome } = await work;
      return outcome === 'updated';
    } catch (error) {
      // Parts were removed under it, of an object that was released just now: they are written anew.
      if (error instanceof BackendError && error.code === 'SegmentMismatch') return false;
      throw error instanceof ColdError ? asS3Error(error) : error;
    } finally {
      this.#running.delete(name);
    }
  }
}

function asS3Error(error: ColdError): S3Error {
  const away = error.code === 'Unavailable' || error.code === 'Full';
  const code = away ? 'ServiceUnavailable' : 'InternalError';
  return new S3Error(code, undefined, {}, { cause: error });
}

/** Neither accounts nor containers have a slash. */
function nameOf({ account, container, object }: ObjectRef): string {
  return `${account}/${container}/${object}`;
}

function ignore(): void {
  // Whoever began the work reports its failure.
}
