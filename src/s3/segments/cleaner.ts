import type { Backend, ObjectRef, RemovedManifest } from '../../backend/backend.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import { removeVersionsContainer, type DeletedBucket } from '../versions/remove.js';
import type { Upload } from './names.js';
import { removeSegmentsContainer, removeUnreferencedParts } from './remove.js';

/** Hears from operations about parts that may have become garbage. */
export interface SegmentCleaning {
  /** The upload was completed without all of its parts. */
  later(upload: Upload, requestId: string): void;
  /**
   * The upload was aborted: removes its parts now, or later where the store cannot make sure that
   * no completion is under way. Never fails: what stays is tried again later.
   */
  aborted(upload: Upload, requestId: string): Promise<void>;
  /**
   * A large object was overwritten or deleted.
   * @param manifest undefined when the former object was not a large one
   */
  replaced(target: ObjectRef, manifest: RemovedManifest | undefined, requestId: string): void;
  /**
   * A bucket was deleted: removes its parts and its archive now. Never fails: a client that deletes
   * it once more would be told that there is none. The rest is left to the sweeper.
   */
  bucketDeleted(deleted: DeletedBucket, requestId: string): Promise<void>;
}

export interface SegmentCleanerOptions {
  readonly backend: Backend;
  /** How long readers that have begun may still need the parts. */
  readonly graceMs: number;
  readonly log: { warn(fields: object, message: string): void };
  /** Uploads that may wait; default {@link WAITING_MAX}. */
  readonly waitingMax?: number | undefined;
}

/** About 1 KiB each at most, and usually a fifth of that. */
const WAITING_MAX = 10_000;
/** A store that fails is asked again after another grace period, this often. */
const ATTEMPTS_MAX = 3;

interface Waiting {
  readonly upload: Upload;
  readonly requestId: string;
  /** The due time, by `performance.now()`. */
  readonly dueAt: number;
  readonly attempts: number;
}

/**
 * Removes parts that nothing refers to any more, a grace period after that became so: a download
 * that has begun reads on from the parts of the object that was replaced under it.
 *
 * The queue is in memory and bounded. Parts that are lost with the process, or find no room, are
 * found again by the janitor's sweeper, which looks at the store alone.
 */
export class SegmentCleaner implements SegmentCleaning {
  /** The waiting uploads, in the order in which they are due. */
  readonly #waiting = new Map<string, Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #overflowing = false;
  #closed = false;

  constructor(private readonly options: SegmentCleanerOptions) {}

  later(upload: Upload, requestId: string): void {
    this.#enqueue(upload, requestId, 0);
  }

  replaced(
    { account, container, object }: ObjectRef,
    manifest: RemovedManifest | undefined,
    requestId: string,
  ): void {
    const uploadId = manifest?.systemMetadata[SYSTEM_METADATA.uploadId];
    // A large object without an upload id was made by another client of the store: its segments are
    // not ours.
    if (uploadId === undefined) return;
    this.later({ account, bucket: container, key: object, uploadId }, requestId);
  }

  async aborted(upload: Upload, requestId: string): Promise<void> {
    const now = this.options.backend.capabilities.atomicGuard;
    if (now) await this.#clean({ upload, requestId, attempts: 0 });
    else this.later(upload, requestId);
  }

  async bucketDeleted(deleted: DeletedBucket, requestId: string): Promise<void> {
    const { backend, log } = this.options;
    const { account, bucket } = deleted;
    const call = { requestId };
    await removeSegmentsContainer(backend, call, deleted).catch(leftBehind('parts'));
    await removeVersionsContainer(backend, call, deleted).catch(leftBehind('archive'));

    function leftBehind(what: string) {
      return (err: unknown): void => {
        const fields = { request_id: requestId, account, bucket, err };
        log.warn(fields, `${what} of a deleted bucket left behind`);
      };
    }
  }

  /** Uploads that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Ends the work under way. The sweeper removes the rest: the parts of waiting uploads may still
   * have readers.
   */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#waiting.clear();
    await this.#running;
  }

  #enqueue(upload: Upload, requestId: string, attempts: number): void {
    if (this.#closed) return;
    const { graceMs, waitingMax = WAITING_MAX } = this.options;
    const name = JSON.stringify([upload.account, upload.bucket, upload.key, upload.uploadId]);
    // Known already: its grace period begins anew, and with it its place in the queue.
    this.#waiting.delete(name);
    if (this.#waiting.size >= waitingMax) {
      this.#overflow(upload);
      return;
    }
    this.#overflowing = false;
    const dueAt = performance.now() + graceMs;
    this.#waiting.set(name, { upload, requestId, dueAt, attempts });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#running !== undefined) return;
    const [next] = this.#waiting.values();
    if (next === undefined) return;
    const delayMs = Math.max(0, Math.ceil(next.dueAt - performance.now()));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        if (!this.#closed) this.#schedule();
      });
    }, delayMs);
    // Nothing of this keeps a process alive.
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    for (const [name, waiting] of this.#waiting) {
      if (waiting.dueAt > performance.now()) return;
      this.#waiting.delete(name);
      await this.#clean(waiting);
    }
  }

  async #clean({ upload, requestId, attempts }: Omit<Waiting, 'dueAt'>): Promise<void> {
    try {
      // It ends what a request has begun, also when the client has left.
      const call = { requestId, finishing: true };
      await removeUnreferencedParts(this.options.backend, call, upload);
    } catch (error) {
      if (attempts + 1 < ATTEMPTS_MAX) this.#enqueue(upload, requestId, attempts + 1);
      const fields = { request_id: requestId, ...upload, attempts: attempts + 1, err: error };
      this.options.log.warn(fields, 'parts could not be removed');
    }
  }

  /** Said once until there is room again. */
  #overflow(upload: Upload): void {
    if (this.#overflowing) return;
    this.#overflowing = true;
    this.options.log.warn(
      { ...upload },
      'too many uploads wait to be cleaned up: left to the sweeper',
    );
  }
}
