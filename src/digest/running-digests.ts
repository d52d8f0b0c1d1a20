import { createHash, type Hash } from 'node:crypto';
import { createChecksum, type ChecksumAlgorithm, type RunningChecksum } from './checksum.js';

/** The digests to compute over a body. */
export interface WantedDigests {
  readonly md5: boolean;
  readonly sha256: boolean;
  readonly checksum?: ChecksumAlgorithm | undefined;
}

/** The digests that were wanted, and no others. */
export interface Digests {
  /** Lower-case hex. */
  readonly md5?: string | undefined;
  /** Lower-case hex. */
  readonly sha256?: string | undefined;
  /** Base64. */
  readonly checksum?: string | undefined;
}

/** The digests of one body in the making; on the event loop or on a lane's thread alike. */
export class RunningDigests {
  readonly #md5: Hash | undefined;
  readonly #sha256: Hash | undefined;
  readonly #checksum: RunningChecksum | undefined;
  /** A wanted SHA-256 checksum is the same digest as the payload's: it is computed once. */
  readonly #checksumIsSha256: boolean;

  constructor({ md5, sha256, checksum }: WantedDigests) {
    this.#checksumIsSha256 = sha256 && checksum === 'SHA256';
    this.#md5 = md5 ? createHash('md5') : undefined;
    this.#sha256 = sha256 ? createHash('sha256') : undefined;
    this.#checksum =
      checksum === undefined || this.#checksumIsSha256 ? undefined : createChecksum(checksum);
  }

  update(chunk: Uint8Array): void {
    this.#md5?.update(chunk);
    this.#sha256?.update(chunk);
    this.#checksum?.update(chunk);
  }

  /** Once. */
  finish(): Digests {
    const sha256 = this.#sha256?.digest();
    const checksum = this.#checksumIsSha256 ? sha256 : this.#checksum?.digest();
    return {
      md5: this.#md5?.digest('hex'),
      sha256: sha256?.toString('hex'),
      checksum: checksum?.toString('base64'),
    };
  }
}
