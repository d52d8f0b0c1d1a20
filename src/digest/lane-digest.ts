import { DigestLaneError, type BodyDigest } from './body-digest.js';
import type { DigestLane, LaneAnswer, FilledDigestOptions } from './lane.js';
import type { Digests, WantedDigests } from './running-digests.js';

/**
 * The event loop's side of one body on a lane. Chunks are gathered into batches, because a hop
 * costs 20 to 45 µs whatever its size; the copy into the batch is the only one, for its memory is
 * shared with the thread.
 */
export class LaneDigest implements BodyDigest {
  readonly #id: number;
  #batch: Buffer<SharedArrayBuffer> | undefined;
  #filled = 0;
  #taken = 0;
  #inFlight = 0;
  #posted = false;
  #ended = false;
  #failure: DigestLaneError | undefined;

  constructor(
    private readonly lane: DigestLane,
    private readonly wanted: WantedDigests,
    private readonly sizeHint: number | undefined,
    private readonly options: FilledDigestOptions,
  ) {
    this.#id = lane.openBody();
  }

  update(chunk: Buffer): void | Promise<void> {
    this.#check();
    for (let offset = 0; offset < chunk.length;) offset += this.#take(chunk, offset);
    if (this.#hasRoom() && this.lane.hasRoom()) return undefined;
    return this.#waitForRoom();
  }

  async finish(): Promise<Digests> {
    this.#check();
    const answer = await this.#post('finish');
    this.#check();
    if (answer?.digests === undefined) throw this.#fail(undefined);
    return answer.digests;
  }

  abort(): void {
    if (this.#ended) return;
    this.#filled = 0;
    this.#giveBatch();
    // Nothing to take back when the thread has not heard of this body, or is gone with it.
    if (this.#posted && this.#failure === undefined) void this.#post('abort');
    else this.#end();
  }

  /** @returns how many bytes of the chunk went into the batch */
  #take(chunk: Buffer, offset: number): number {
    this.#batch ??= this.lane.batches.take(this.lane.batchBytes());
    const copied = chunk.copy(this.#batch, this.#filled, offset);
    this.#filled += copied;
    this.#taken += copied;
    // The last batch waits for `finish`, which saves a hop.
    if (this.#filled === this.#batch.length && this.#taken !== this.sizeHint) void this.#post();
    return copied;
  }

  #giveBatch(): void {
    if (this.#batch !== undefined) this.lane.batches.give(this.#batch);
    this.#batch = undefined;
  }

  /** Posts what the batch holds; never rejects, but remembers the failure. */
  async #post(end?: 'finish' | 'abort'): Promise<LaneAnswer | undefined> {
    const batch = this.#batch;
    const bytes = batch?.subarray(0, this.#filled);
    const wanted = this.#posted ? undefined : this.wanted;
    const count = this.#filled;
    this.#batch = undefined;
    this.#filled = 0;
    this.#posted = true;
    this.#inFlight += count;
    if (end !== undefined) this.#end();
    try {
      const answer = await this.lane.run({ id: this.#id, wanted, bytes, end }, () => {
        this.#inFlight -= count;
        if (batch !== undefined) this.lane.batches.give(batch);
      });
      if (answer.lost && end !== 'abort') this.#fail(undefined);
      return answer;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.lane.closeBody();
  }

  #hasRoom(): boolean {
    return this.#failure !== undefined || this.#inFlight <= this.options.bodyBytesInFlightMax;
  }

  async #waitForRoom(): Promise<void> {
    await this.lane.waitForRoom(() => this.#hasRoom());
    this.#check();
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #fail(cause: unknown): DigestLaneError {
    this.#failure ??=
      cause instanceof DigestLaneError
        ? cause
        : new DigestLaneError('the thread that hashed this body was replaced', { cause });
    return this.#failure;
  }
}
