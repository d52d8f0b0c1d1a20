import type { ContainerHead } from '../../backend/backend.js';
import type { BucketFreshness } from '../operation.js';

/** The head of a request's bucket: read when it is first asked for, and again where a fresher one is. */
export class BucketHead {
  #reading: Promise<ContainerHead> | undefined;
  #readAt = Infinity;
  #isNewest = false;

  /** @param read - the newest that the store has, or one that the listener may have kept */
  constructor(private readonly read: (options: { newest: boolean }) => Promise<ContainerHead>) {}

  get({ newest = false, ageMsMax = Infinity }: BucketFreshness = {}): Promise<ContainerHead> {
    const isOld = performance.now() - this.#readAt > ageMsMax;
    if (this.#reading === undefined || isOld || (newest && !this.#isNewest)) {
      this.#isNewest = newest || isOld;
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
