import type { Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { bodyMismatch, type Intake } from '../body-intake.js';
import type { BackendError } from '../errors.js';
import { throwIfAborted } from '../call-context.js';
import type { BufferPool } from '../../lib/buffers/buffer-pool.js';
import { asBackendError } from './lmdb-error.js';

/**
 * Streams a body into a file through pooled buffers: one is filled while another is being written,
 * and the caller waits when both are full. While the body is waited for, there is one at most, and a
 * small one while it is enough. Feeds `hash` on the way.
 * @returns how many bytes it was
 * @throws as `collectBody`; BackendError StorageFull, Unavailable when the file cannot be written
 */
export async function writeBody(
  { body, size, context }: Intake,
  file: FileHandle,
  pool: BufferPool,
  hash: Hash | undefined,
): Promise<number> {
  const writer = new FileWriter(file, pool);
  let received = 0;
  try {
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
      throwIfAborted(context);
      received += chunk.length;
      if (size !== undefined && received > size) throw bodyMismatch(size, received);
      hash?.update(chunk);
      await writer.write(chunk);
    }
    if (size !== undefined && received !== size) throw bodyMismatch(size, received);
    await writer.flush();
    return received;
  } finally {
    await writer.release();
  }
}

class FileWriter {
  #filling: Buffer | undefined;
  #filled = 0;
  #position = 0;
  /** The write under way. It never rejects by itself: who waits for it rethrows its error. */
  #writing: Promise<{ readonly error: BackendError } | undefined> = Promise.resolve(undefined);

  constructor(
    private readonly file: FileHandle,
    private readonly pool: BufferPool,
  ) {}

  /** Takes a copy; resolves when the chunk may be reused. */
  async write(chunk: Buffer): Promise<void> {
    for (let taken = 0; taken < chunk.length;) {
      const copied = chunk.copy(this.#roomFor(chunk.length - taken), this.#filled, taken);
      this.#filled += copied;
      taken += copied;
      if (this.#filled === this.pool.bufferBytes) await this.#turn();
    }
  }

  async flush(): Promise<void> {
    if (this.#filled > 0) await this.#turn();
    await this.#settled();
  }

  /** Gives the buffers back, once the kernel does not read them any more. */
  async release(): Promise<void> {
    await this.#writing;
    if (this.#filling !== undefined) this.pool.give(this.#filling);
    this.#filling = undefined;
  }

  /** The buffer to go on with: what a small one holds moves to a large one when it is too little. */
  #roomFor(bytes: number): Buffer {
    const wanted = this.#filled + bytes;
    const old = this.#filling;
    if (old !== undefined && (wanted <= old.length || old.length === this.pool.bufferBytes)) {
      return old;
    }
    const buffer = this.pool.take(wanted);
    if (old !== undefined) {
      old.copy(buffer, 0, 0, this.#filled);
      this.pool.give(old);
    }
    this.#filling = buffer;
    return buffer;
  }

  /** Starts writing what there is, as soon as what came before it is written. */
  async #turn(): Promise<void> {
    await this.#settled();
    const buffer = this.#filling;
    if (buffer === undefined) return;
    const full = buffer.subarray(0, this.#filled);
    this.#writing = writeWhole(this.file, full, this.#position)
      .then(
        () => undefined,
        (error: unknown) => ({ error: asBackendError(error) }),
      )
      .finally(() => {
        this.pool.give(buffer);
      });
    this.#position += this.#filled;
    this.#filled = 0;
    this.#filling = undefined;
  }

  async #settled(): Promise<void> {
    const failure = await this.#writing;
    if (failure !== undefined) throw failure.error;
  }
}

/** A write may be short, at a full disk above all; the next one then says why. */
async function writeWhole(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const rest = bytes.length - written;
    const { bytesWritten } = await file.write(bytes, written, rest, position + written);
    written += bytesWritten;
  }
}
