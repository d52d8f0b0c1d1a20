import type { FileHandle } from 'node:fs/promises';
import type { ByteRange, ObjectBody } from '../backend.js';
import { BackendError } from '../errors.js';
import type { BufferPool } from './buffer-pool.js';

/** A body that holds nothing yet. */
export interface LazyBody extends ObjectBody {
  /**
   * Opens what the first read needs, which opens it otherwise. Undefined when there is nothing to
   * open. When it fails, nothing is held.
   * @throws as the first read
   */
  readonly open?: () => Promise<void>;
}

/**
 * A part of a body file as a stream. Nothing is opened before `open` or the first read, no buffer
 * taken before the latter; one read is always ahead of the consumer, so a stream holds two pooled
 * buffers at most. A chunk is valid until the next one is asked for: its buffer is then read into
 * again.
 */
export function fileBody(
  openFile: () => Promise<FileHandle>,
  range: ByteRange,
  pool: BufferPool,
): LazyBody {
  const length = range.end - range.start + 1;
  const stream = new FileStream(openFile, range.start, length, pool);
  return {
    length,
    source: { [Symbol.asyncIterator]: () => stream },
    open: () => stream.open(),
    cancel: () => {
      stream.return().catch(ignore);
    },
  };
}

export function bufferBody(bytes: Buffer): LazyBody {
  return { length: bytes.length, source: bytes, cancel: () => undefined };
}

interface ReadAhead {
  readonly buffer: Buffer;
  /** How many bytes came, or why none did; never rejects, since nobody may be waiting for it. */
  readonly result: Promise<number | { readonly error: unknown }>;
}

class FileStream implements AsyncIterator<Buffer, undefined> {
  #file: FileHandle | undefined;
  #ahead: ReadAhead | undefined;
  /** The buffer that the consumer is looking at. */
  #shown: Buffer | undefined;
  #position: number;
  #remaining: number;
  /** Calls of next() and return() run one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #ended = false;

  constructor(
    private readonly openFile: () => Promise<FileHandle>,
    start: number,
    length: number,
    private readonly pool: BufferPool,
  ) {
    this.#position = start;
    this.#remaining = length;
  }

  open(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#ended) return;
      try {
        this.#file ??= await this.openFile();
      } catch (error) {
        await this.#letGo();
        throw error;
      }
    });
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    return this.#inTurn(async () => {
      if (this.#ended) return DONE;
      try {
        const chunk = await this.#read();
        if (chunk !== undefined) return { done: false, value: chunk };
      } catch (error) {
        await this.#letGo();
        throw error;
      }
      await this.#letGo();
      return DONE;
    });
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    return this.#inTurn(async () => {
      await this.#letGo();
      return DONE;
    });
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(step);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #read(): Promise<Buffer | undefined> {
    if (this.#remaining === 0) return undefined;
    this.#file ??= await this.openFile();
    const { buffer, result } = this.#ahead ?? this.#startRead(this.#file, this.#remaining);
    const bytes = await result;
    if (typeof bytes !== 'number') throw bytes.error;
    if (bytes === 0) throw truncated(this.#remaining);
    this.#position += bytes;
    this.#remaining -= bytes;
    const free = this.#shown;
    this.#shown = buffer;
    this.#ahead = undefined;
    if (this.#remaining > 0) this.#startRead(this.#file, this.#remaining, free);
    else if (free !== undefined) this.pool.give(free);
    return buffer.subarray(0, bytes);
  }

  #startRead(file: FileHandle, remaining: number, free?: Buffer): ReadAhead {
    const buffer = free ?? this.pool.take(remaining);
    const wanted = Math.min(remaining, buffer.length);
    const result = file.read(buffer, 0, wanted, this.#position).then(
      ({ bytesRead }) => bytesRead,
      (error: unknown) => ({ error }),
    );
    this.#ahead = { buffer, result };
    return this.#ahead;
  }

  /** Closes the file and gives the buffers back, after a read that is under way. */
  async #letGo(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#ahead !== undefined) {
      await this.#ahead.result;
      this.pool.give(this.#ahead.buffer);
    }
    if (this.#shown !== undefined) this.pool.give(this.#shown);
    this.#ahead = this.#shown = undefined;
    await this.#file?.close();
  }
}

const DONE: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/** What a file that was only read says when it is closed concerns nobody. */
export function ignore(): void {
  // Nothing to do.
}

function truncated(missing: number): BackendError {
  return new BackendError('Corrupt', `the file of a body ends ${missing} bytes early`);
}
