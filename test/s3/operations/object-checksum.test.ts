import { expect } from 'chai';
import { createChecksum, type ChecksumAlgorithm } from '../../../src/digest/checksum.js';
import { objectChecksum } from '../../../src/s3/multipart/checksums.js';
import type { UploadedPart } from '../../../src/s3/rules/complete-rules.js';
import type { ClaimedChecksum } from '../../../src/s3/rules/upload-checksum.js';
import type { ChecksumType } from '../../../src/s3/xml/checksum-elements.js';
import { expectS3Error } from '../support.js';

const PIECES = [Buffer.from('the first part'), Buffer.from('the second one')];

function checksumOf(algorithm: ChecksumAlgorithm, data: Uint8Array): string {
  const checksum = createChecksum(algorithm);
  checksum.update(data);
  return checksum.digest().toString('base64');
}

function partsWith(algorithm: ChecksumAlgorithm | undefined): UploadedPart[] {
  return PIECES.map((bytes, index) => ({
    partNumber: index + 1,
    etag: 'e',
    size: bytes.length,
    checksum: algorithm && { algorithm, value: checksumOf(algorithm, bytes) },
  }));
}

function claimOf(algorithm: ChecksumAlgorithm, type: ChecksumType, value: string): ClaimedChecksum {
  return { algorithm, type, value };
}

describe('the checksum of a completed upload that was created without one', () => {
  const crc32 = checksumOf('CRC32', Buffer.concat(PIECES));
  const nvme = checksumOf('CRC64NVME', Buffer.concat(PIECES));
  const wrong = checksumOf('CRC32', Buffer.from('something else'));

  it('is none, where the request names none', () => {
    expect(objectChecksum(undefined, undefined, partsWith('CRC32'))).to.equal(undefined);
  });

  it('is ignored where the parts have none of its kind, right or wrong', () => {
    for (const value of [crc32, wrong]) {
      for (const parts of [partsWith(undefined), partsWith('SHA1')]) {
        const claimed = claimOf('CRC32', 'COMPOSITE', value);
        expect(objectChecksum(undefined, claimed, parts)).to.equal(undefined);
      }
    }
    const [first, second] = [partsWith('CRC32')[0]!, partsWith(undefined)[1]!];
    const claimed = claimOf('CRC32', 'COMPOSITE', wrong);
    expect(objectChecksum(undefined, claimed, [first, second])).to.equal(undefined);
  });

  it('is verified where they have, as that of the whole or of the parts', () => {
    const whole = { algorithm: 'CRC32', type: 'FULL_OBJECT', value: crc32 };
    const parts = partsWith('CRC32');
    const claimed = claimOf('CRC32', 'COMPOSITE', crc32);
    expect(objectChecksum(undefined, claimed, parts)).to.deep.equal(whole);
    const created = { algorithm: 'CRC32', type: 'COMPOSITE' } as const;
    const composite = objectChecksum(created, undefined, parts)!;
    const said = claimOf('CRC32', 'COMPOSITE', composite.value);
    expect(objectChecksum(undefined, said, parts)).to.deep.equal(composite);
    const all = claimOf('CRC64NVME', 'FULL_OBJECT', nvme);
    expect(objectChecksum(undefined, all, partsWith('CRC64NVME'))).to.deep.equal(all);
  });

  it('is refused where it is wrong', () => {
    const claimed = claimOf('CRC32', 'COMPOSITE', wrong);
    expectS3Error(() => objectChecksum(undefined, claimed, partsWith('CRC32')), 'BadDigest');
  });

  it('is refused where it cannot be one, also where it would be ignored', () => {
    for (const value of ['', 'AAAA', `${crc32}x`, 'AAAA-2']) {
      const claimed = claimOf('CRC32', 'COMPOSITE', value);
      const attempt = () => objectChecksum(undefined, claimed, partsWith(undefined));
      expectS3Error(attempt, 'InvalidRequest');
    }
  });
});
