import type { ByteSource } from '../../lib/cancellation.js';
import type { ColdSegment } from '../../cold/cold-backend.js';
import { ColdError } from '../../cold/cold-error.js';
import type { DigestFactory } from '../../digest/body-digest.js';

/** The facts by which the bytes of an object are recognised. */
export interface KnownBody {
  readonly size: number;
  /** Unquoted. */
  readonly etag: string;
  /**
   * The segments of an object made of parts: its ETag is not derived from its bytes, theirs are.
   */
  readonly segments?: readonly ColdSegment[] | undefined;
}

const MD5 = /^[0-9a-f]{32}$/;

/** Whether anybody can tell that bytes are those of the object: only then may they leave the store. */
export function isVerifiable({ size, etag, segments }: KnownBody): boolean {
  if (segments === undefined) return MD5.test(etag);
  const total = segments.reduce((sum, segment) => sum + segment.size, 0);
  return total === size && segments.every((segment) => MD5.test(segment.etag));
}

/**
 * The same bytes, but for an end that comes only when all of them were those of the object.
 * @throws (the source) ColdError Corrupt; what the body throws
 */
export async function* verified(
  body: Buffer | ByteSource,
  known: KnownBody,
  digests: DigestFactory,
): AsyncGenerator<Buffer> {
  const pieces = known.segments ?? [known];
  let next = 0;
  let piece = new Piece(pieces[next++] ?? known, digests);
  try {
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
      for (let rest = chunk; rest.length > 0;) {
        // Empty pieces, too, end where they begin.
        while (piece.missing === 0 && next < pieces.length) {
          await piece.finish();
          piece = new Piece(pieces[next++] ?? known, digests);
        }
        rest = await piece.take(rest);
      }
      yield chunk;
    }
    await piece.finish();
    for (; next < pieces.length; next++) await new Piece(pieces[next] ?? known, digests).finish();
  } finally {
    piece.abort();
  }
}

class Piece {
  missing: number;
  readonly #digest;

  constructor(
    private readonly known: { readonly size: number; readonly etag: string },
    digests: DigestFactory,
  ) {
    this.missing = known.size;
    this.#digest = digests.create({ md5: true, sha256: false }, known.size);
  }

  /** @returns what is not its own */
  async take(bytes: Buffer): Promise<Buffer> {
    if (this.missing === 0) throw corrupt('it is longer than the object');
    const own = bytes.subarray(0, this.missing);
    this.missing -= own.length;
    await this.#digest.update(own);
    return bytes.subarray(own.length);
  }

  async finish(): Promise<void> {
    if (this.missing > 0) throw corrupt('it is shorter than the object');
    const { md5 } = await this.#digest.finish();
    if (md5 !== this.known.etag) throw corrupt(`its MD5 is ${md5} and not ${this.known.etag}`);
  }

  abort(): void {
    this.#digest.abort();
  }
}

function corrupt(detail: string): ColdError {
  return new ColdError('Corrupt', `a body is not that of its object: ${detail}`);
}
