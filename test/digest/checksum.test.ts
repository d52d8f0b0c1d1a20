import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';

import {
  CHECKSUM_BYTES,
  createChecksum,
  type ChecksumAlgorithm,
} from '../../src/digest/checksum.js';

const CHECK_INPUT = Buffer.from('123456789');

/** The catalogued check values of "123456789" (RevEng catalogue; FIPS 180). */
const CHECK: Readonly<Record<ChecksumAlgorithm, string>> = {
  CRC32: 'cbf43926',
  CRC32C: 'e3069283',
  CRC64NVME: 'ae8b14860a799888',
  SHA1: 'f7c3bc1d808e04732adf679965ccc34ca7ae3441',
  SHA256: '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225',
};

/** Bit by bit, as the definition says. */
function crc64(bytes: Uint8Array): string {
  let crc = 0xffffffffffffffffn;
  for (const byte of bytes) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) crc = (crc >> 1n) ^ ((crc & 1n) * 0x9a6c9329ac4bc9b5n);
  }
  return (crc ^ 0xffffffffffffffffn).toString(16).padStart(16, '0');
}

function digestOf(algorithm: ChecksumAlgorithm, chunks: readonly Uint8Array[]): string {
  const checksum = createChecksum(algorithm);
  for (const chunk of chunks) checksum.update(chunk);
  return checksum.digest().toString('hex');
}

describe('checksums', () => {
  for (const algorithm of Object.keys(CHECK) as ChecksumAlgorithm[]) {
    it(`${algorithm} gives the published check value, and has the announced length`, () => {
      expect(digestOf(algorithm, [CHECK_INPUT])).to.equal(CHECK[algorithm]);
      expect(createChecksum(algorithm).digest()).to.have.length(CHECKSUM_BYTES[algorithm]);
    });

    it(`${algorithm} does not depend on how the bytes are split`, () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), fc.nat(200), (bytes, a, b) => {
          const [low, high] = a < b ? [a, b] : [b, a];
          const pieces = [bytes.subarray(0, low), bytes.subarray(low, high), bytes.subarray(high)];
          expect(digestOf(algorithm, pieces)).to.equal(digestOf(algorithm, [bytes]));
        }),
      );
    });
  }

  it('CRC64NVME agrees with its definition', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(digestOf('CRC64NVME', [bytes])).to.equal(crc64(bytes));
      }),
    );
  });

  it('SHA256 agrees with node:crypto', () => {
    const bytes = Buffer.from('some bytes');
    expect(digestOf('SHA256', [bytes])).to.equal(createHash('sha256').update(bytes).digest('hex'));
  });
});
