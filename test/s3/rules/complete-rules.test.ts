import { expect } from 'chai';
import fc from 'fast-check';
import {
  MULTIPART_OBJECT_BYTES_MAX,
  requireObjectSize,
  selectParts,
  type RequestedPart,
  type UploadedPart,
} from '../../../src/s3/rules/complete-rules.js';
import { PART_BYTES_MIN } from '../../../src/s3/rules/protocol-limits.js';
import { expectS3Error, headers } from '../support.js';

const MIN = PART_BYTES_MIN;
const CRC32 = { algorithm: 'CRC32', value: 'AAAAAA==' } as const;
const OTHER_CRC32 = { algorithm: 'CRC32', value: 'AAAAAQ==' } as const;
const CRC32C = { algorithm: 'CRC32C', value: 'AAAAAA==' } as const;

function uploaded(...parts: readonly UploadedPart[]): ReadonlyMap<number, UploadedPart> {
  return new Map(parts.map((part) => [part.partNumber, part]));
}

function part(partNumber: number, size = MIN, etag = `etag${partNumber}`): UploadedPart {
  return { partNumber, size, etag };
}

function named(...partNumbers: readonly number[]): RequestedPart[] {
  return partNumbers.map((partNumber) => ({ partNumber, etag: `etag${partNumber}` }));
}

describe('s3 rules: completing an upload', () => {
  it('takes the parts that are named, and no others', () => {
    const parts = uploaded(part(1), part(2), part(7, 1));
    expect(selectParts('id', named(1, 7), parts)).to.deep.equal({
      parts: [part(1), part(7, 1)],
      size: MIN + 1,
    });
  });

  it('lets a single part be small, even empty', () => {
    expect(selectParts('id', named(3), uploaded(part(3, 0))).size).to.equal(0);
  });

  it('lets parts of exactly the least size pass', () => {
    expect(selectParts('id', named(1, 2), uploaded(part(1), part(2))).size).to.equal(2 * MIN);
  });

  it('names the part that is too small', () => {
    const parts = uploaded(part(1), part(2, MIN - 1), part(3));
    expectS3Error(() => selectParts('id', named(1, 2, 3), parts), 'EntityTooSmall', {
      ProposedSize: String(MIN - 1),
      MinSizeAllowed: '5242880',
      PartNumber: '2',
      ETag: '"etag2"',
    });
  });

  it('judges the last part that is named, not the last that was uploaded', () => {
    const parts = uploaded(part(1), part(2, 5), part(3));
    expect(selectParts('id', named(1, 2), parts).size).to.equal(MIN + 5);
  });

  it('bounds the whole at 5 TiB', () => {
    const half = MULTIPART_OBJECT_BYTES_MAX / 2;
    const fits = uploaded(part(1, half), part(2, half));
    expect(selectParts('id', named(1, 2), fits).size).to.equal(MULTIPART_OBJECT_BYTES_MAX);
    const tooLarge = uploaded(part(1, half), part(2, half + 1));
    expectS3Error(() => selectParts('id', named(1, 2), tooLarge), 'EntityTooLarge', {
      ProposedSize: '5497558138881',
      MaxSizeAllowed: '5497558138880',
    });
  });

  for (const numbers of [
    [2, 1],
    [1, 1],
    [1, 3, 2],
  ]) {
    it(`refuses the order ${numbers.join(', ')}`, () => {
      const parts = uploaded(part(1), part(2), part(3));
      expectS3Error(() => selectParts('id', named(...numbers), parts), 'InvalidPartOrder');
    });
  }

  const one = uploaded({ ...part(1), checksum: CRC32 });
  const PARTS: readonly (readonly [string, RequestedPart, ReadonlyMap<number, UploadedPart>])[] = [
    ['that was not uploaded', { partNumber: 2, etag: 'etag2' }, one],
    ['with another ETag', { partNumber: 1, etag: 'other' }, one],
    ['with the ETag in capitals', { partNumber: 1, etag: 'ETAG1' }, one],
    ['with another checksum', { partNumber: 1, etag: 'etag1', checksum: OTHER_CRC32 }, one],
    ['with another algorithm', { partNumber: 1, etag: 'etag1', checksum: CRC32C }, one],
    [
      'with a checksum that nobody stored',
      { partNumber: 1, etag: 'etag1', checksum: CRC32 },
      uploaded(part(1)),
    ],
  ];

  for (const [what, requested, parts] of PARTS) {
    it(`refuses a part ${what}`, () => {
      expectS3Error(() => selectParts('id', [requested], parts), 'InvalidPart', {
        UploadId: 'id',
        PartNumber: String(requested.partNumber),
        ETag: requested.etag,
      });
    });
  }

  it('accepts a checksum that agrees, and none', () => {
    for (const checksum of [CRC32, undefined]) {
      const requested = { partNumber: 1, etag: 'etag1', checksum };
      expect(selectParts('id', [requested], one).parts).to.have.length(1);
    }
  });

  it('accepts exactly ascending orders', () => {
    const numbers = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 });
    const all = uploaded(...Array.from({ length: 20 }, (_, index) => part(index + 1)));
    fc.assert(
      fc.property(numbers, (given) => {
        const sorted = [...new Set(given)].sort((a, b) => a - b);
        if (sorted.join() === given.join()) {
          const { parts, size } = selectParts('id', named(...given), all);
          expect(parts.map(({ partNumber }) => partNumber)).to.deep.equal(given);
          expect(size).to.equal(given.length * MIN);
        } else {
          expectS3Error(() => selectParts('id', named(...given), all), 'InvalidPartOrder');
        }
      }),
    );
  });
});

describe('s3 rules: x-amz-mp-object-size', () => {
  const check = (value?: string) => {
    const given = value === undefined ? {} : { 'x-amz-mp-object-size': value };
    requireObjectSize(headers(given), 42);
  };

  it('agrees with the sum, or is left out', () => {
    check();
    check('42');
  });

  for (const value of ['41', '0', '', '-42', 'x', '42.0']) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expectS3Error(() => {
        check(value);
      }, 'InvalidRequest');
    });
  }
});
