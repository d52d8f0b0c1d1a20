import type { ByteSource } from '../lib/cancellation.js';
import type { BodySink } from './body-sink.js';
import type { SendResult } from './exchange.js';
import type { Touchable } from './heartbeat.js';
import type { HttpResponse } from './uws.js';

/** The exchange that a response belongs to. */
export interface PumpHost {
  readonly stallTimeoutMs: number;
  /** Starts the library's own timer anew. */
  rearm(): void;
  /** The library is done with the response: its handle is dead. */
  released(): void;
  /** Called once; unless `abortedBy` is null the connection must be closed. */
  settled(result: SendResult): void;
}

type AbortedBy = Exclude<SendResult['abortedBy'], null>;

/**
 * Moves a response body from its source into a sink, one chunk at a time, at the reader's pace:
 *
 *     pull ──chunk──▶ sink ──taken──▶ pull
 *                       └──waits──▶ writable (or touch) ──taken──▶ pull
 *
 * The next chunk is asked for when the former is wholly taken. However it ends, the source is let
 * go of exactly once.
 */
export class ResponsePump implements Touchable {
  readonly #iterator: AsyncIterator<Buffer>;
  #settled = false;
  #exhausted = false;
  /** Since when the reader has taken nothing; undefined while nothing waits. */
  #waitingSince: number | undefined;
  #flushed = false;
  #fault: unknown;
  #chunk: Buffer = Buffer.alloc(0);

  constructor(
    private readonly res: HttpResponse,
    private readonly sink: BodySink,
    source: ByteSource,
    private readonly host: PumpHost,
  ) {
    this.#iterator = source[Symbol.asyncIterator]();
    res.onWritable(this.#onWritable);
  }

  /** Asks the source for the next chunk. */
  pull(): void {
    try {
      this.#iterator.next().then(this.#onNext, this.#onFailure);
    } catch (error) {
      this.#onFailure(error);
    }
  }

  /** The connection is gone. */
  abandon(by: AbortedBy): void {
    this.#settle(by);
  }

  touch(now: number): void {
    if (this.#waitingSince !== undefined) this.#retry(now, this.#waitingSince);
    if (!this.#settled) this.host.rearm();
  }

  /**
   * The kernel calls a socket writable only when a third of its buffer is free: at 20 KB/s that may
   * take longer than the library waits. So the pump also tries to write at intervals, which does no
   * harm.
   */
  #retry(now: number, since: number): void {
    const before = this.sink.taken;
    if (this.sink.retryable) this.#flush();
    if (this.sink.taken > before) {
      if (this.#waitingSince !== undefined) this.#waitingSince = now;
    } else if (now - since >= this.host.stallTimeoutMs) {
      this.#settle('deadline');
    }
  }

  /** The library's callback: the reader took something. */
  readonly #onWritable = (): boolean => {
    if (this.#waitingSince === undefined) return true;
    this.#waitingSince = undefined;
    this.#flush();
    return this.#flushed;
  };

  readonly #onNext = (result: IteratorResult<Buffer, unknown>): void => {
    if (result.done === true) this.#exhausted = true;
    if (this.#settled) return;
    if (result.done === true) this.#end();
    else if (result.value.length === 0) this.pull();
    else this.#offer(result.value);
  };

  readonly #onFailure = (error: unknown): void => {
    // A source that threw is over: it needs no return().
    this.#exhausted = true;
    this.#settle('source', error);
  };

  #offer(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#corked(this.#offerStep);
    this.#goOn();
  }

  #flush(): void {
    this.#corked(this.#flushStep);
    this.#goOn();
  }

  #end(): void {
    this.#corked(this.#endStep);
    if (this.#fault === undefined) this.#settle(null);
    else this.#settle('source', this.#fault);
  }

  #goOn(): void {
    if (this.#fault !== undefined) {
      this.#settle('source', this.#fault);
    } else if (this.#flushed) {
      this.#waitingSince = undefined;
      // The source is asked once more after the last byte, so that it frees what it holds.
      this.pull();
    } else {
      this.#waitingSince ??= performance.now();
    }
  }

  readonly #offerStep = (): void => {
    try {
      this.#flushed = this.sink.offer(this.#chunk);
    } catch (error) {
      this.#fault = error;
    }
  };

  readonly #flushStep = (): void => {
    this.#flushed = this.sink.flush();
  };

  readonly #endStep = (): void => {
    try {
      this.sink.end();
    } catch (error) {
      this.#fault = error;
    }
  };

  /** A step must not throw: it is called by the library, whose answer to that is to exit. */
  #corked(step: () => void): void {
    if (this.sink.released) {
      step();
    } else {
      this.res.cork(step);
      this.#noteRelease();
    }
  }

  #noteRelease(): void {
    if (this.sink.released) this.host.released();
  }

  #settle(abortedBy: SendResult['abortedBy'], error?: unknown): void {
    if (this.#settled) return;
    this.#settled = true;
    if (!this.#exhausted) letGo(this.#iterator);
    const bytesSent = this.sink.taken;
    this.host.settled(
      error === undefined ? { bytesSent, abortedBy } : { bytesSent, abortedBy, error },
    );
  }
}

/** Leaves a source before its end; what it has to say about that is of no use to anybody. */
export function letGo(iterator: AsyncIterator<Buffer>): void {
  try {
    iterator.return?.().catch(ignore);
  } catch {
    // A source that fails to stop is as gone as one that stops.
  }
}

function ignore(): void {
  // See letGo.
}
