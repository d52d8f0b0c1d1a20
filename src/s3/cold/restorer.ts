import type {
  BodyInput,
  ObjectHead,
  ObjectRef,
  PutObjectInput,
  UpdateOutcome,
  CallContext,
} from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import type { ColdCopy, ColdSegment } from '../../cold/cold-backend.js';
import { ColdError } from '../../cold/cold-error.js';
import { type ByteSource, cancelledBy } from '../../lib/cancellation.js';
import { S3Error } from '../errors.js';
import type { ColdClasses } from '../rules/cold/classes.js';
import { type ColdObject, decideRestore, type RestoreDecision } from '../rules/cold/cold-object.js';
import {
  stateUpdate,
  unchanged,
  isCopyOf,
  type ColdTools,
  bodyRefOf,
  coldObjectOf,
} from './cold-object.js';
import { verified } from './verified-body.js';

const NOTHING = Buffer.alloc(0);

/** Hands a stream out in pieces of given sizes, one after the other. */
export class BodyReader {
  readonly #chunks: AsyncIterator<Buffer>;
  /** The rest of the last chunk: valid until the next chunk is asked for. */
  #rest: Buffer = NOTHING;

  constructor(source: ByteSource) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** The next bytes, fewer at the end of the stream. Read it to its end before the next piece. */
  async *take(size: number): AsyncGenerator<Buffer> {
    for (let missing = size; missing > 0;) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done === true) return;
        this.#rest = next.value;
      }
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
      yield piece;
    }
  }

  /** Lets go of the stream. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/**
 * Streams the bytes of an object back from the cold backend, and opens its restore window in the same
 * instant as they are its body again: so no window is ever open without them. An object made of parts
 * gets its parts back, under their names, so that it reads as ever, part by part too.
 *
 * @param ref - the object itself, not a link to it
 * @throws BackendError; ColdError Corrupt when the copy is missing or damaged; S3Error
 *   `OperationAborted` when the store does not take a part
 */
async function bringBack(
  tools: ColdTools,
  ref: ObjectRef,
  head: ObjectHead,
  { state, stamp }: ColdObject,
  restoredUntil: number,
): Promise<UpdateOutcome> {
  const { backend, call, cold } = tools;
  const found = state.copy && (await cold.get({ account: ref.account, ...state.copy }));
  if (found === undefined || !isCopyOf(found.copy, head)) {
    throw new ColdError('Corrupt', `the cold copy of ${ref.container}/${ref.object} is missing`);
  }
  const body = await bodyInput(tools, ref.account, found.copy, found.body);
  const update = {
    ...stateUpdate(backend.capabilities, { ...state, restoredUntil }, 'archived'),
    body,
  };
  return backend.updateBody(call, ref, update, unchanged(head, stamp));
}

async function bodyInput(
  tools: ColdTools,
  account: string,
  { size, etag, segments }: ColdCopy,
  body: ByteSource,
): Promise<BodyInput> {
  if (segments === undefined) {
    return { kind: 'bytes', source: verified(body, { size, etag }, tools.digests) };
  }
  const reader = new BodyReader(body);
  try {
    for (const segment of segments) await writeSegment(tools, account, segment, reader);
  } finally {
    await reader.close();
  }
  return { kind: 'segments', segments };
}

async function writeSegment(
  tools: ColdTools,
  account: string,
  { container, object, size, etag }: ColdSegment,
  reader: BodyReader,
): Promise<void> {
  const { backend, call } = tools;
  const ref = { account, container, object };
  const input: PutObjectInput = {
    size,
    contentType: 'application/octet-stream',
    body: verified(reader.take(size), { size, etag }, tools.digests),
    seal: () => ({ etag }),
  };
  await backend.createContainer(call, ref, {});
  const { outcome } = await backend.putObject(call, ref, input);
  // The store's clock has something newer at this place; the next attempt may succeed.
  if (outcome !== 'created') throw new S3Error('OperationAborted');
}

/** Bodies that one process brings back at once: each takes two buffers, and a share of the disks. */
const RUNNING_MAX = 8;
/** An object that changes under each of so many attempts is not going to hold still. */
const ATTEMPTS_MAX = 8;

type RestorerOptions = Omit<ColdTools, 'call'>;

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
      if (target === undefined) break;
      const object = coldObjectOf(head, classes);
      const decision = decideRestore(object, days, now());
      if (object === undefined) break;
      // A request that waited for another one's restore finds the window open; its own status is
      // the one of its beginning.
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
  // The request that began the work reports its failure.
}

/** The cold tier as operations know it: docs/cold-tier.md. */
export interface ColdTier {
  /** Objects of these storage classes have to be restored before they can be read. */
  readonly classes: ColdClasses;
  /** Undefined without a cold backend: then nothing can be restored. */
  readonly restorer: Pick<Restorer, 'restore'> | undefined;
}
