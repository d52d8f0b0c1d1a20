import { expect } from 'chai';
import {
  decodeUploadChecksum,
  encodeUploadChecksum,
  parseClaimedChecksum,
  parseUploadChecksum,
  requirePartChecksum,
} from '../../../src/s3/rules/upload-checksum.js';
import { expectS3Error, headers } from '../support.js';

const ALGORITHM = 'x-amz-checksum-algorithm';
const TYPE = 'x-amz-checksum-type';

const CREATED: readonly (readonly [algorithm: string, type: string, stored: string])[] = [
  ['CRC32', '', 'CRC32:COMPOSITE'],
  ['crc32', '', 'CRC32:COMPOSITE'],
  ['CRC32', 'FULL_OBJECT', 'CRC32:FULL_OBJECT'],
  ['CRC32C', 'COMPOSITE', 'CRC32C:COMPOSITE'],
  ['CRC32C', 'FULL_OBJECT', 'CRC32C:FULL_OBJECT'],
  ['CRC64NVME', '', 'CRC64NVME:FULL_OBJECT'],
  ['CRC64NVME', 'FULL_OBJECT', 'CRC64NVME:FULL_OBJECT'],
  ['SHA1', '', 'SHA1:COMPOSITE'],
  ['SHA256', 'COMPOSITE', 'SHA256:COMPOSITE'],
];

const REFUSED: readonly (readonly [algorithm: string, type: string, code: string])[] = [
  ['CRC64NVME', 'COMPOSITE', 'InvalidRequest'],
  ['SHA1', 'FULL_OBJECT', 'InvalidRequest'],
  ['SHA256', 'FULL_OBJECT', 'InvalidRequest'],
  ['CRC32', 'WHOLE', 'InvalidRequest'],
  ['', 'COMPOSITE', 'InvalidRequest'],
  ['MD5', '', 'InvalidRequest'],
  ['XXHASH64', '', 'InvalidRequest'],
];

function asked(algorithm: string, type: string) {
  return headers({
    ...(algorithm === '' ? {} : { [ALGORITHM]: algorithm }),
    ...(type === '' ? {} : { [TYPE]: type }),
  });
}

describe('s3 rules: checksums of uploads', () => {
  for (const [algorithm, type, stored] of CREATED) {
    it(`keeps ${algorithm} ${type} as ${stored}`, () => {
      const checksum = parseUploadChecksum(asked(algorithm, type));
      expect(checksum && encodeUploadChecksum(checksum)).to.equal(stored);
      expect(decodeUploadChecksum(stored)).to.deep.equal(checksum);
    });
  }

  for (const [algorithm, type, code] of REFUSED) {
    it(`answers ${code} to ${algorithm} ${type}`, () => {
      expectS3Error(() => parseUploadChecksum(asked(algorithm, type)), code);
    });
  }

  it('has none where none is asked for or stored', () => {
    expect(parseUploadChecksum(headers({}))).to.equal(undefined);
    for (const text of [undefined, '', 'CRC32', 'SHA1:FULL_OBJECT', 'CRC32:COMPOSITE ']) {
      expect(decodeUploadChecksum(text)).to.equal(undefined);
    }
  });

  it('wants of each part what the upload was created with', () => {
    const upload = { algorithm: 'CRC32', type: 'COMPOSITE' } as const;
    requirePartChecksum(upload, { algorithm: 'CRC32', value: 'AAAAAA==' });
    requirePartChecksum(undefined, undefined);
    requirePartChecksum(undefined, { algorithm: 'SHA1', value: '' });
    for (const part of [undefined, { algorithm: 'SHA1', value: '' } as const]) {
      expectS3Error(() => {
        requirePartChecksum(upload, part);
      }, 'InvalidRequest');
    }
  });

  describe('claims of completions', () => {
    const crc32 = { 'x-amz-checksum-crc32': 'AAAAAA==' };
    const full = { algorithm: 'CRC32', type: 'FULL_OBJECT' } as const;

    it('are of the type that the upload has', () => {
      const claimed = { ...full, value: 'AAAAAA==' };
      expect(parseClaimedChecksum(headers(crc32), full)).to.deep.equal(claimed);
      const typed = headers({ ...crc32, [TYPE]: 'FULL_OBJECT' });
      expect(parseClaimedChecksum(typed, full)).to.deep.equal(claimed);
      expect(parseClaimedChecksum(typed, undefined)).to.deep.equal(claimed);
    });

    it('are of the default type without any', () => {
      const claimed = parseClaimedChecksum(headers(crc32), undefined);
      expect(claimed).to.include({ algorithm: 'CRC32', type: 'COMPOSITE' });
    });

    it('may be missing, also with a type', () => {
      expect(parseClaimedChecksum(headers({}), full)).to.equal(undefined);
      const typed = headers({ [TYPE]: 'FULL_OBJECT' });
      expect(parseClaimedChecksum(typed, full)).to.equal(undefined);
    });

    for (const [what, given] of [
      ['another type', { ...crc32, [TYPE]: 'COMPOSITE' }],
      ['another algorithm', { 'x-amz-checksum-sha1': 'x' }],
      ['two of them', { ...crc32, 'x-amz-checksum-crc32c': 'AAAAAA==' }],
      ['no type', { [TYPE]: 'x' }],
    ] as const) {
      it(`are refused with ${what}`, () => {
        expectS3Error(() => parseClaimedChecksum(headers(given), full), 'InvalidRequest');
      });
    }
  });
});
