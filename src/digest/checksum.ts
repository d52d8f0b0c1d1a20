import { createHash, type Hash } from 'node:crypto';
import { crc32, crc32c } from '@node-rs/crc32';
import { Crc64Nvme } from './crc64nvme.js';

/** The five algorithms of `x-amz-checksum-*`. */
export type ChecksumAlgorithm = 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256';

/** A checksum over bytes that arrive piece by piece. */
export interface RunningChecksum {
  update(chunk: Uint8Array): void;
  /** Once, at the end. */
  digest(): Buffer;
}

/** Length of the digest in bytes. */
export const CHECKSUM_BYTES: Readonly<Record<ChecksumAlgorithm, number>> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  SHA1: 20,
  SHA256: 32,
};

const CREATE: Readonly<Record<ChecksumAlgorithm, () => RunningChecksum>> = {
  CRC32: () => new RunningCrc(crc32),
  CRC32C: () => new RunningCrc(crc32c),
  CRC64NVME: () => new Crc64Nvme(),
  SHA1: () => new RunningHash('sha1'),
  SHA256: () => new RunningHash('sha256'),
};

export function createChecksum(algorithm: ChecksumAlgorithm): RunningChecksum {
  return CREATE[algorithm]();
}

/** A 32-bit CRC whose library takes the value so far and gives the next one. */
class RunningCrc implements RunningChecksum {
  #value = 0;

  constructor(private readonly crc: (chunk: Uint8Array, value: number) => number) {}

  update(chunk: Uint8Array): void {
    this.#value = this.crc(chunk, this.#value);
  }

  digest(): Buffer {
    const digest = Buffer.allocUnsafe(4);
    digest.writeUInt32BE(this.#value);
    return digest;
  }
}

class RunningHash implements RunningChecksum {
  readonly #hash: Hash;

  constructor(algorithm: string) {
    this.#hash = createHash(algorithm);
  }

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
  }

  digest(): Buffer {
    return this.#hash.digest();
  }
}
