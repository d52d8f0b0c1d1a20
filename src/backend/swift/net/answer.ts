import { scratch } from '../../../lib/buffers/scratch-memory.js';
import type { ByteSource } from '../../../lib/cancellation.js';
import { BackendError } from '../../errors.js';
import type { SwiftResponse, WholeBody } from '../transport.js';

/** The connection's duties for the body that it carries. */
export interface BodyFeed {
  /** The body wants more: begin to read again. */
  resume(): void;
  /** Ends the connection: the rest has no reader. Nothing is fed any more. */
  abort(): void;
  /** Called once, when the connection carries nothing of this body any more. */
  released(): void;
}

/** A reader this far behind in small chunks stops the connection. */
const BUFFERED_BYTES_MAX = 256 * 1024;

/**
 * Up to this a chunk is copied, which costs less than to stop the connection while it is read. Less
 * than what a connection reads at first (read-memory.ts), so that long bodies are not copied.
 */
const COPIED_BYTES_MAX = 8 * 1024;

/** A rest of at most this size is read, since a new connection would cost more. */
const DRAIN_BYTES_MAX = 64 * 1024;

/**
 * The body of an answer: fed by a connection, and read by one reader, once. A large chunk lies in the
 * connection's own memory, so that the connection stands still until the reader asks for the next.
 */
class AnswerBody implements ByteSource, AsyncIterator<Buffer, undefined> {
  #chunks: Buffer[] = [];
  #read = 0;
  #buffered = 0;
  #paused = false;
  #state: 'open' | 'draining' | 'complete' | 'failed' | 'let_go' = 'open';
  #drained = 0;
  #error: unknown;
  #waiting: { resolve(): void } | undefined;

  /** @param bytesLeft what the answer announced; undefined when it did not */
  constructor(
    private readonly feed: BodyFeed,
    private readonly bytesLeft: number | undefined,
  ) {}

  /** @returns false to be fed no more, and to leave the chunk's memory alone, until `resume` */
  push(chunk: Buffer): boolean {
    if (this.#state === 'draining') {
      this.#drained += chunk.length;
      if (this.#drained > DRAIN_BYTES_MAX) this.#abort();
      return true;
    }
    if (this.#state !== 'open') return true;
    const isLent = chunk.length > COPIED_BYTES_MAX;
    this.#chunks.push(isLent ? chunk : Buffer.from(chunk));
    this.#buffered += chunk.length;
    this.#wake();
    this.#paused = isLent || this.#buffered >= BUFFERED_BYTES_MAX;
    return !this.#paused;
  }

  end(): void {
    this.#settle('complete');
  }

  fail(error: unknown): void {
    // The first one is why: what it does to the connection is an error too.
    if (this.#state === 'open') this.#error = error;
    this.#settle('failed');
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    for (;;) {
      // All that was given is read: the connection may use its memory again.
      if (this.#paused && this.#chunks.length === 0 && this.#state === 'open') this.#resume();
      const chunk = this.#take();
      if (chunk !== undefined) return { done: false, value: chunk };
      if (this.#state === 'failed') throw this.#error;
      if (this.#state !== 'open') return { done: true, value: undefined };
      await this.#more();
    }
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    this.cancel();
    return Promise.resolve({ done: true, value: undefined });
  }

  /**
   * All of it in scratch memory, unless it is more than so many bytes.
   * @returns undefined when it is more
   */
  async whole(bytesMax: number): Promise<WholeBody | undefined> {
    let memory = scratch.take(Math.min(this.bytesLeft ?? 0, bytesMax));
    let length = 0;
    for await (const chunk of this) {
      const end = length + chunk.length;
      if (end > bytesMax) return undefined;
      if (end > memory.length) memory = scratch.grow(memory, length, end);
      length += chunk.copy(memory, length);
    }
    return { memory, length };
  }

  cancel(): void {
    this.#chunks = [];
    this.#buffered = 0;
    if (this.#state === 'complete' || this.#state === 'failed') this.#state = 'let_go';
    if (this.#state !== 'open') return;
    this.#state = 'draining';
    this.#wake();
    if (this.bytesLeft === undefined || this.bytesLeft > DRAIN_BYTES_MAX) this.#abort();
    else if (this.#paused) this.#resume();
  }

  #take(): Buffer | undefined {
    const chunk = this.#chunks[this.#read];
    if (chunk === undefined) return undefined;
    this.#read += 1;
    this.#buffered -= chunk.length;
    if (this.#read === this.#chunks.length) {
      this.#chunks = [];
      this.#read = 0;
    }
    return chunk;
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { resolve };
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve();
  }

  #resume(): void {
    this.#paused = false;
    this.feed.resume();
  }

  #abort(): void {
    this.feed.abort();
    this.#settle('let_go');
  }

  #settle(state: 'complete' | 'failed' | 'let_go'): void {
    if (this.#state !== 'open' && this.#state !== 'draining') return;
    this.#state = this.#state === 'draining' ? 'let_go' : state;
    this.#wake();
    this.feed.released();
  }
}

/** An answer whose head is there, and whose body is being fed. */
export class Answer implements SwiftResponse {
  readonly body: AnswerBody;

  constructor(
    readonly status: number,
    readonly headers: ReadonlyMap<string, string>,
    feed: BodyFeed,
  ) {
    const length = headers.get('content-length');
    this.body = new AnswerBody(feed, length === undefined ? undefined : Number(length));
  }

  async text(bytesMax: number): Promise<string> {
    const { memory, length } = await this.whole(bytesMax);
    const text = memory.toString('utf8', 0, length);
    scratch.give(memory);
    return text;
  }

  async whole(bytesMax: number): Promise<WholeBody> {
    const whole = await this.body.whole(bytesMax);
    if (whole !== undefined) return whole;
    throw new BackendError('Corrupt', `an answer of more than ${bytesMax} bytes`);
  }

  cancel(): void {
    this.body.cancel();
  }
}
