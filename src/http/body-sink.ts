import { writeUnfinishedHead } from './response-head.js';
import type { HttpResponse } from './uws.js';

/** The way of a response body's bytes into the library, with back-pressure. Call it corked. */
export interface BodySink {
  /** Bytes of body that the library took. */
  readonly taken: number;
  /** The library is done with the response: its handle is dead. */
  readonly released: boolean;
  /** flush() may be called also when the socket is not known to be writable. */
  readonly retryable: boolean;
  /**
   * Takes a chunk, the response's head before the first one.
   * @returns false when it must wait: then the chunk stays untouched until flush() returns true
   * @throws LengthMismatchError
   */
  offer(chunk: Buffer): boolean;
  /** Goes on with the chunk that waits; true when nothing waits any more. */
  flush(): boolean;
  /**
   * The source has ended.
   * @throws LengthMismatchError
   */
  end(): void;
}

export class LengthMismatchError extends Error {
  override readonly name = 'LengthMismatchError';
  constructor(announced: number, given: string) {
    super(`the source of a response announced ${announced} bytes and gave ${given}`);
  }
}

const NOTHING = Buffer.alloc(0);

/** A body whose length is announced: the library keeps nothing that the kernel does not take. */
export class LengthSink implements BodySink {
  readonly retryable = true;
  taken = 0;
  released = false;
  #waiting: Buffer = NOTHING;
  #begun = false;

  /**
   * @param stayOpen the library must not know when the last byte is out: it would free the
   *   response, which is the only handle to close the connection. So the library gets one byte more
   *   than the announced length as the total; the true length was already sent in the headers.
   */
  constructor(
    private readonly res: HttpResponse,
    private readonly head: string,
    private readonly total: number,
    private readonly stayOpen: boolean,
  ) {}

  offer(chunk: Buffer): boolean {
    if (this.taken + chunk.length > this.total) {
      throw new LengthMismatchError(this.total, `at least ${this.taken + chunk.length}`);
    }
    this.#waiting = chunk;
    return this.flush();
  }

  flush(): boolean {
    if (!this.#begun) {
      this.#begun = true;
      this.res.writeStatus(this.head);
      if (this.stayOpen && !this.#announce()) return false;
    }
    if (this.#waiting.length === 0) return true;
    return this.#write(this.#waiting, this.stayOpen ? this.total + 1 : this.total);
  }

  /**
   * The first call decides the Content-Length. It has some bytes of the body and not the last: release
   * 20.57 takes a call without any for the end of the response, as both do a call with all.
   */
  #announce(): boolean {
    if (this.total > 1) return this.#write(this.#waiting.subarray(0, this.total - 1), this.total);
    this.res.end(this.#waiting, true);
    this.taken = this.total;
    this.#waiting = NOTHING;
    this.released = true;
    return true;
  }

  /** @param chunk the beginning of what waits */
  #write(chunk: Buffer, total: number): boolean {
    const [ok, done] = this.res.tryEnd(chunk, total);
    this.released = done;
    const isTaken = ok || done;
    const bytes = isTaken ? chunk.length : this.res.getWriteOffset() - this.taken;
    this.taken += bytes;
    this.#waiting = this.#waiting.subarray(bytes);
    return isTaken;
  }

  end(): void {
    if (this.taken < this.total) throw new LengthMismatchError(this.total, String(this.taken));
    if (this.total > 0) return;
    if (this.stayOpen) {
      writeUnfinishedHead(this.res, this.head, 0);
    } else {
      this.res.writeStatus(this.head);
      this.res.end();
      this.released = true;
    }
  }
}

/** While the kernel takes nothing, less than it frees before it says so: the rest only shrinks. */
const PIECE_BLOCKED_BYTES = 4096;
const PIECE_BYTES = 64 * 1024;

/** A header is a name, a colon and a value: so a trailer field follows, without a meaning. */
const LAST_CHUNK_AND_TRAILER = '\r\n0\r\nX-End';

/**
 * A body of unknown length. The library buffers what the kernel does not take, and empties that
 * buffer only together with the next write, so the pieces are small.
 */
export class ChunkedSink implements BodySink {
  readonly retryable = false;
  taken = 0;
  released = false;
  #waiting: Buffer = NOTHING;
  #begun = false;
  #blocked = false;

  /** @param stayOpen as for {@link LengthSink} */
  constructor(
    private readonly res: HttpResponse,
    private readonly head: string,
    private readonly stayOpen: boolean,
  ) {}

  offer(chunk: Buffer): boolean {
    this.#waiting = chunk;
    return this.flush();
  }

  flush(): boolean {
    this.#begin();
    while (this.#waiting.length > 0) {
      const piece = this.#waiting.subarray(0, this.#blocked ? PIECE_BLOCKED_BYTES : PIECE_BYTES);
      this.#blocked = !this.res.write(piece);
      this.taken += piece.length;
      this.#waiting = this.#waiting.subarray(piece.length);
      if (this.#blocked) return false;
    }
    return true;
  }

  end(): void {
    if (this.stayOpen) {
      this.#endUnfinished();
      return;
    }
    this.#begin();
    this.res.end();
    this.released = true;
  }

  /** The library has no call for the last chunk but end(): it is written as a header is. */
  #endUnfinished(): void {
    if (this.#begun) this.res.writeHeader(LAST_CHUNK_AND_TRAILER, '1\r\n');
    else writeUnfinishedHead(this.res, this.head, 0);
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.res.writeStatus(this.head);
  }
}
