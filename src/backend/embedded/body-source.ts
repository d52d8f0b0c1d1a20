import type { FileHandle } from 'node:fs/promises';
import type { ByteRange } from '../backend.js';
import { BackendError } from '../errors.js';
import type { BufferPool } from '../../lib/buffers/buffer-pool.js';
import { LazyStream, streamBody, type LazyBody } from './lazy-body.js';

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
  return streamBody(length, new FileStream(openFile, range.start, length, pool));
}

interface ReadAhead {
  readonly buffer: Buffer;
  /** How many bytes came, or the error. The promise never rejects: it may have no reader yet. */
  readonly result: Promise<number | { readonly error: unknown }>;
}

class FileStream extends LazyStream {
  #file: FileHandle | undefined;
  #ahead: ReadAhead | undefined;
  /** The buffer that the consumer is looking at. */
  #shown: Buffer | undefined;
  #position: number;
  #remaining: number;

  constructor(
    private readonly openFile: () => Promise<FileHandle>,
    start: number,
    length: number,
    private readonly pool: BufferPool,
  ) {
    super();
    this.#position = start;
    this.#remaining = length;
  }

  protected override async openFirst(): Promise<void> {
    this.#file ??= await this.openFile();
  }

  protected override async read(): Promise<Buffer | undefined> {
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
  protected override async letGo(): Promise<void> {
    if (this.#ahead !== undefined) {
      await this.#ahead.result;
      this.pool.give(this.#ahead.buffer);
    }
    if (this.#shown !== undefined) this.pool.give(this.#shown);
    this.#ahead = this.#shown = undefined;
    await this.#file?.close();
  }
}

function truncated(missing: number): BackendError {
  return new BackendError('Corrupt', `the file of a body ends ${missing} bytes early`);
}
