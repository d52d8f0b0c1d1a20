/**
 * Batches that the event loop fills and a lane's thread reads, used again and again. They are
 * shared memory: a transferred buffer would be garbage of a thread that allocates nothing else and
 * so hardly ever collects (180 MiB of it seen with eight uploads).
 */
export class BatchPool {
  readonly #free: Buffer<SharedArrayBuffer>[] = [];

  constructor(
    readonly batchBytes: number,
    private readonly keepMax: number,
  ) {}

  /** A buffer of exactly `bytes`; only buffers of the full size are kept for reuse. */
  take(bytes: number): Buffer<SharedArrayBuffer> {
    const kept = bytes === this.batchBytes ? this.#free.pop() : undefined;
    return kept ?? Buffer.from(new SharedArrayBuffer(bytes));
  }

  give(batch: Buffer<SharedArrayBuffer>): void {
    const fits = batch.length === this.batchBytes && this.#free.length < this.keepMax;
    if (fits) this.#free.push(batch);
  }
}
