import type { ByteSource } from '../cancellation.js';

/** Less is had from Node, which cuts it from memory that it has. */
const SMALL_BYTES_MAX = 4096;

/**
 * Memory for bytes that are soon gone again: a document that is put together, sent and forgotten.
 *
 * Fresh memory of this size is outside V8's heap, which a few megabytes of it make V8 collect
 * whole: with pages of 1,000 keys that took a third of what they cost. A piece that is never given
 * back is collected like any other memory.
 */
export class ScratchMemory {
  readonly #kept: Buffer<ArrayBuffer>[] = [];

  /** @param keptMax the number of unused pieces of `pieceBytes` that are kept */
  constructor(
    readonly pieceBytes: number,
    private readonly keptMax: number,
  ) {}

  /** @returns at least so many bytes, with anything in them */
  take(bytes: number): Buffer<ArrayBuffer> {
    if (bytes > this.pieceBytes || bytes <= SMALL_BYTES_MAX) return Buffer.allocUnsafe(bytes);
    return this.#kept.pop() ?? Buffer.allocUnsafeSlow(this.pieceBytes);
  }

  /** A piece that is not in use; undefined when there is none. */
  takeKept(): Buffer<ArrayBuffer> | undefined {
    return this.#kept.pop();
  }

  /** Returns memory that has no reader any more. Called at most once for each `take`. */
  give(memory: Buffer<ArrayBuffer>): void {
    const isPiece = memory.length === this.pieceBytes;
    if (isPiece && this.#kept.length < this.keptMax) this.#kept.push(memory);
  }

  /** @returns memory of at least so many bytes that begins like `memory`, which is given back */
  grow(memory: Buffer<ArrayBuffer>, used: number, bytes: number): Buffer<ArrayBuffer> {
    const grown = this.take(Math.max(bytes, memory.length * 2));
    memory.copy(grown, 0, 0, used);
    this.give(memory);
    return grown;
  }
}

/** A piece holds a page of 1,000 keys, as Swift lists it or as S3 does, unless the keys are long. */
export const scratch = new ScratchMemory(512 * 1024, 4);

/** Bytes in scratch memory, to be read once: who has read them, or lets go of them, gives it back. */
export class ScratchBytes implements ByteSource {
  #bytes: Buffer | undefined;
  readonly length: number;

  /** @param memory of `owner`, and this one's from now on */
  constructor(
    private readonly owner: ScratchMemory,
    private readonly memory: Buffer<ArrayBuffer>,
    length: number,
    private readonly start = 0,
  ) {
    this.length = length;
    this.#bytes = memory.subarray(start, start + length);
  }

  /** Gives the memory away instead of reading it; callable until reading has begun. */
  handOver(): { readonly memory: Buffer<ArrayBuffer>; readonly start: number } {
    if (this.#bytes === undefined) throw new Error('scratch bytes that somebody reads');
    this.#bytes = undefined;
    const { memory, start } = this;
    return { memory, start };
  }

  /** The text; callable until reading has begun. */
  toString(): string {
    return this.#bytes?.toString() ?? '';
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer, undefined> {
    const bytes = this.#bytes;
    this.#bytes = undefined;
    let step: 'first' | 'lent' | 'over' = bytes === undefined ? 'over' : 'first';
    const end = (): Promise<IteratorResult<Buffer, undefined>> => {
      if (step !== 'over') this.owner.give(this.memory);
      step = 'over';
      return Promise.resolve({ done: true, value: undefined });
    };
    return {
      next: () => {
        if (step !== 'first' || bytes === undefined) return end();
        step = 'lent';
        return Promise.resolve({ done: false, value: bytes });
      },
      return: end,
    };
  }
}
