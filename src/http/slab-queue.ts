import type { SlabPool } from '../lib/buffers/slab-pool.js';

/** The filled part of a slab, or of a small buffer of its own. */
interface Piece {
  readonly memory: Buffer;
  readonly pooled: boolean;
  filled: number;
}

/** Below this, an allocation from Node's shared pool is cheaper than a slab of its own. */
const SMALL_BYTES_MAX = 4096;

/** Bytes in order of arrival, copied in once and read a piece at a time. */
export class SlabQueue {
  #pieces: Piece[] = [];
  #lent: Piece | undefined;
  bytes = 0;

  /** @param pool undefined for a body that fits into a slab: its pieces are the reader's to keep */
  constructor(private readonly pool: SlabPool | undefined) {}

  /** Copies the chunk, whose memory may be gone after the call. */
  push(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    let rest = this.#fillLast(chunk);
    while (rest.length > 0) {
      const piece = this.#newPiece(rest.length);
      this.#pieces.push(piece);
      rest = fill(piece, rest);
    }
  }

  /**
   * The oldest bytes, undefined when there are none. Bytes of a pool are valid until the next call
   * of this or of `release`.
   */
  shift(): Buffer | undefined {
    this.release();
    const piece = this.#pieces.shift();
    if (piece === undefined) return undefined;
    this.bytes -= piece.filled;
    this.#lent = piece;
    return piece.memory.subarray(0, piece.filled);
  }

  /** The reader is done with the piece that it was given last. */
  release(): void {
    if (this.#lent !== undefined) this.#recycle(this.#lent);
    this.#lent = undefined;
  }

  /** Drops what is unread; the piece that was given last stays valid until `release`. */
  clear(): void {
    for (const piece of this.#pieces) this.#recycle(piece);
    this.#pieces = [];
    this.bytes = 0;
  }

  /** @returns what did not fit into the piece that was begun last */
  #fillLast(chunk: Uint8Array): Uint8Array {
    const last = this.#pieces.at(-1);
    return last === undefined ? chunk : fill(last, chunk);
  }

  #newPiece(bytes: number): Piece {
    if (this.pool === undefined || bytes <= SMALL_BYTES_MAX) {
      // A piece behind another has room for more, or chunks of one byte would be a piece each.
      const room = this.#pieces.length === 0 ? bytes : Math.max(bytes, SMALL_BYTES_MAX);
      return { memory: Buffer.allocUnsafe(room), pooled: false, filled: 0 };
    }
    return { memory: this.pool.take(), pooled: true, filled: 0 };
  }

  #recycle({ memory, pooled }: Piece): void {
    if (pooled) this.pool?.give(memory);
  }
}

function fill(piece: Piece, chunk: Uint8Array): Uint8Array {
  const taken = Math.min(chunk.length, piece.memory.length - piece.filled);
  if (taken === 0) return chunk;
  piece.memory.set(taken === chunk.length ? chunk : chunk.subarray(0, taken), piece.filled);
  piece.filled += taken;
  return taken === chunk.length ? EMPTY : chunk.subarray(taken);
}

const EMPTY = new Uint8Array();
