import {
  BodyDiscardedError,
  BodyTooLargeError,
  type ClientAbortedError,
  type RequestBody,
} from './exchange.js';
import type { Heartbeat, Touchable } from './heartbeat.js';
import type { EdgeLimits } from './limits.js';
import { GatheredBytes } from '../lib/buffers/gathered-bytes.js';
import type { SlabPool } from '../lib/buffers/slab-pool.js';
import { SlabQueue } from './slab-queue.js';

/** The socket that a body comes from. */
export interface BodySocket {
  pauseReading(): void;
  resumeReading(): void;
  /** Starts the library's own timer anew, without reading. */
  rearm(): void;
}

/** The state that all bodies of a server share. */
export interface BodyShared {
  readonly limits: EdgeLimits;
  readonly heartbeat: Heartbeat;
  readonly slabs: SlabPool;
  /** Unread bytes of all bodies. */
  bufferedBytes: number;
}

interface Waiter {
  resolve(chunk: Buffer | undefined): void;
  reject(error: Error): void;
}

/** Up to this size a body's pieces are memory of their own, which its reader may keep. */
const SMALL_BODY_BYTES_MAX = 64 * 1024;

/** Room for one more chunk: the library's own receive buffer, see receive-buffer.ts. */
const RECEIVE_CHUNK_BYTES = 512 * 1024;

/**
 * A request's body between the library's callback and one reader, with back-pressure: above
 * `requestBufferBytesMax` unread bytes, or any where all bodies together hold `bufferedBytesMax`, the
 * socket is paused; it is resumed when its reader has little left.
 */
export class RequestBodyStream implements RequestBody, Touchable {
  bytesReceived = 0;
  /** The last byte has arrived. */
  complete = false;
  /** The socket is paused on behalf of this body. */
  paused = false;

  readonly #queue: SlabQueue;
  /** The reader may keep the chunks that the queue gives out. */
  readonly #isSmall: boolean;
  /** Bytes of it in the server's count. */
  #countedBytes = 0;
  #waiter: Waiter | undefined;
  #failure: Error | undefined;
  #claimed = false;
  /**
   * `left`: the reader went away before the end, nothing is answered yet: the socket waits.
   * `over`: all that still comes is dropped.
   */
  #reading: 'open' | 'left' | 'over' = 'open';

  constructor(
    readonly contentLength: number | undefined,
    private readonly socket: BodySocket,
    private readonly shared: BodyShared,
  ) {
    const { slabs } = shared;
    this.#isSmall = contentLength !== undefined && contentLength <= SMALL_BODY_BYTES_MAX;
    this.#queue = new SlabQueue(this.#isSmall ? undefined : slabs);
    // Its reader, once it is let in, asks for more; until then nothing of it takes memory.
    if (this.#isMemoryShort) this.#pause();
  }

  /** Unread bytes in memory. */
  get bufferedBytes(): number {
    return this.#queue.bytes;
  }

  /** Bytes still to come; Infinity when the length is not known. */
  get bytesMissing(): number {
    if (this.complete) return 0;
    return this.contentLength === undefined ? Infinity : this.contentLength - this.bytesReceived;
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer, undefined> {
    this.#claim();
    return {
      next: async () => {
        const value = await this.#nextChunk();
        return value === undefined ? { done: true, value } : { done: false, value };
      },
      return: () => {
        this.#queue.release();
        this.#leave();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  async collect(limit: number): Promise<Buffer> {
    this.#claim();
    if (this.contentLength !== undefined && this.contentLength > limit) this.#refuse(limit);
    const first = (await this.#nextChunk()) ?? Buffer.alloc(0);
    if (first.length > limit) this.#refuse(limit);
    // A small body comes in one piece, mostly together with the header block.
    if (this.complete && this.#queue.bytes === 0 && this.#isSmall) return first;
    return this.#collectRest(first, limit);
  }

  /**
   * The library's callback. The memory of `chunk` is the library's own and gone afterwards: copied
   * here, once.
   */
  receive(chunk: ArrayBuffer, last: boolean): void {
    const { byteLength } = chunk;
    this.bytesReceived += byteLength;
    if (last) this.complete = true;
    if (this.#reading === 'left' && !last) this.#pause();
    if (this.#reading !== 'open') return;
    if (byteLength > 0) {
      this.#queue.push(new Uint8Array(chunk));
      this.#count();
    }
    this.#wake();
    if (!last && this.#isFull) this.#pause();
  }

  /** The client is gone: what is unread is lost. */
  abort(error: ClientAbortedError): void {
    this.shared.heartbeat.delete(this);
    if (!this.#isRead) this.#fail(error);
  }

  /** The response is complete: whatever is unread or still comes is dropped. */
  discard(): void {
    // An error's stack costs more than the rest of a small upload.
    if (!this.#isRead) this.#fail(new BodyDiscardedError());
    this.#reading = 'over';
    this.shared.heartbeat.delete(this);
    if (this.paused) this.resumeReading();
  }

  resumeReading(): void {
    this.paused = false;
    this.shared.heartbeat.delete(this);
    this.socket.resumeReading();
  }

  /** While paused: keeps the connection alive, and finds out whether the client still is. */
  touch(): void {
    const room = this.shared.limits.requestBufferBytesMax + RECEIVE_CHUNK_BYTES;
    if (this.#queue.bytes <= room && !this.#isMemoryShort) this.#look();
    else this.socket.rearm();
  }

  /**
   * Reads for one turn of the event loop: a client that left is noticed only by reading. Bytes
   * instead of an end raise the buffer, so that the next touches do not look again.
   */
  #look(): void {
    this.socket.resumeReading();
    setImmediate(() => {
      if (this.paused) this.socket.pauseReading();
    });
  }

  #claim(): void {
    if (this.#claimed) throw new Error('the request body has a reader already');
    this.#claimed = true;
  }

  #nextChunk(): Promise<Buffer | undefined> {
    const chunk = this.#queue.shift();
    if (chunk !== undefined) {
      this.#count();
      this.#askForMore();
      return Promise.resolve(chunk);
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.complete) return Promise.resolve(undefined);
    this.#askForMore();
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  /**
   * A body that became complete while paused stays so until the response: resuming arms the
   * library's 10 s timer, which nothing would stop while the backend works.
   */
  #askForMore(): void {
    if (!this.paused || this.complete) return;
    if (this.#queue.bytes > this.shared.limits.requestBufferBytesMax / 2) return;
    this.resumeReading();
  }

  async #collectRest(first: Buffer, limit: number): Promise<Buffer> {
    const gathered = new GatheredBytes();
    gathered.add(first);
    for (;;) {
      const chunk = await this.#nextChunk();
      if (chunk === undefined) return gathered.take();
      if (gathered.length + chunk.length > limit) this.#refuse(limit);
      gathered.add(chunk);
    }
  }

  #refuse(limit: number): never {
    this.#leave();
    throw new BodyTooLargeError(limit);
  }

  /** Tells the server what the queue holds now. */
  #count(): void {
    this.shared.bufferedBytes += this.#queue.bytes - this.#countedBytes;
    this.#countedBytes = this.#queue.bytes;
  }

  #wake(): void {
    const waiter = this.#waiter;
    if (waiter === undefined || (this.#queue.bytes === 0 && !this.complete)) return;
    this.#waiter = undefined;
    const chunk = this.#queue.shift();
    this.#count();
    waiter.resolve(chunk);
  }

  #pause(): void {
    if (this.paused) return;
    this.paused = true;
    this.socket.pauseReading();
    this.shared.heartbeat.add(this);
  }

  #leave(): void {
    if (this.#reading === 'open') this.#reading = 'left';
    this.#queue.clear();
    this.#count();
  }

  get #isFull(): boolean {
    const { bytes } = this.#queue;
    return bytes > this.shared.limits.requestBufferBytesMax || (bytes > 0 && this.#isMemoryShort);
  }

  /** All bodies together hold too much. */
  get #isMemoryShort(): boolean {
    return this.shared.bufferedBytes > this.shared.limits.bufferedBytesMax;
  }

  /** Nothing of it is left for a reader. */
  get #isRead(): boolean {
    return this.complete && this.#queue.bytes === 0;
  }

  #fail(error: Error): void {
    this.#leave();
    this.#failure ??= error;
    this.#waiter?.reject(this.#failure);
    this.#waiter = undefined;
  }
}
