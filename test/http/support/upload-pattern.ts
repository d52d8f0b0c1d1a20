const PIECE_BYTES = 1024 * 1024;

/** Piece `n` of an upload: whoever reads it in another order gets another digest. */
export function uploadPiece(n: number): Buffer {
  return Buffer.alloc(PIECE_BYTES, `piece ${n} `);
}
