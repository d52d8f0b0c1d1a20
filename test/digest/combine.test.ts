import { expect } from 'chai';
import fc from 'fast-check';
import { createChecksum, type ChecksumAlgorithm } from '../../src/digest/checksum.js';
import { combineCrcs, compositeChecksum, type CrcAlgorithm } from '../../src/digest/combine.js';

const CRCS: readonly CrcAlgorithm[] = ['CRC32', 'CRC32C', 'CRC64NVME'];

function checksumOf(algorithm: ChecksumAlgorithm, bytes: Uint8Array): string {
  const checksum = createChecksum(algorithm);
  checksum.update(bytes);
  return checksum.digest().toString('base64');
}

describe('digest: checksums of pieces', () => {
  for (const algorithm of CRCS) {
    it(`combines ${algorithm} of pieces to that of the whole`, () => {
      const pieces = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 12 });
      fc.assert(
        fc.property(pieces, (parts) => {
          const checksums = parts.map((part) => ({
            value: checksumOf(algorithm, part),
            size: part.length,
          }));
          const whole = checksumOf(algorithm, Buffer.concat(parts));
          expect(combineCrcs(algorithm, checksums)).to.equal(whole);
        }),
      );
    });

    it(`combines ${algorithm} of pieces as large as parts are`, () => {
      const part = Buffer.alloc(5 * 1024 ** 2 + 3, 'ringway');
      const value = checksumOf(algorithm, part);
      const twice = checksumOf(algorithm, Buffer.concat([part, part]));
      const piece = { value, size: part.length };
      expect(combineCrcs(algorithm, [piece, piece])).to.equal(twice);
    });
  }

  it('takes one piece for the whole, and empty ones for nothing', () => {
    const value = checksumOf('CRC64NVME', Buffer.from('a'));
    const empty = { value: checksumOf('CRC64NVME', Buffer.alloc(0)), size: 0 };
    expect(combineCrcs('CRC64NVME', [{ value, size: 1 }])).to.equal(value);
    expect(combineCrcs('CRC64NVME', [empty, { value, size: 1 }, empty])).to.equal(value);
  });

  it('tells pieces in another order apart', () => {
    const [a, b] = ['one', 'two'].map((text) => ({
      value: checksumOf('CRC32', Buffer.from(text)),
      size: 3,
    }));
    if (a === undefined || b === undefined) throw new Error('two pieces');
    expect(combineCrcs('CRC32', [a, b])).not.to.equal(combineCrcs('CRC32', [b, a]));
  });

  it('makes composite checksums of the digests of pieces, not of their texts', () => {
    const values = ['one', 'two'].map((text) => checksumOf('SHA256', Buffer.from(text)));
    const digests = Buffer.concat(values.map((value) => Buffer.from(value, 'base64')));
    expect(compositeChecksum('SHA256', values)).to.equal(checksumOf('SHA256', digests));
  });
});
