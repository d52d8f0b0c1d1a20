import type { ContainerHead } from '../../backend/backend.js';
import type { BucketFreshness } from '../operation.js';

/**
 * The head of a request's bucket: read when it is first asked for, and again where a fresher one is.
 *
 * One that has become too old is read as the first was: it may be one that the listener keeps, since no
 * change of a bucket is answered before all listeners have forgotten what was true before it. Else each
 * upload to a busy cluster would cost a HEAD of its container.
 */
export class BucketHead {
  #reading: Promise<ContainerHead> | undefined;
  #readAt = Infinity;
  #isNewest = false;

  /** @param read - the newest that the store has, or one that the listener may have kept */
  constructor(private readonly read: (options: { newest: boolean }) => Promise<ContainerHead>) {}

  get({ newest = false, ageMsMax = Infinity }: BucketFreshness = {}): Promise<ContainerHead> {
    const isOld = performance.now() - this.#readAt > ageMsMax;
    if (this.#reading === undefined || isOld || (newest && !this.#isNewest)) {
      this.#isNewest = newest;
      this.#reading = this.#read();
    }
    return this.#reading;
  }

  async #read(): Promise<ContainerHead> {
    const head = await this.read({ newest: this.#isNewest });
    this.#readAt = performance.now();
    return head;
  }
}
