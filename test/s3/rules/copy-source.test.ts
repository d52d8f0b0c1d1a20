import { expect } from 'chai';
import fc from 'fast-check';
import {
  COPY_BYTES_MAX,
  parseCopySource,
  requireCopyableSize,
} from '../../../src/s3/rules/copy-source.js';
import { encodeUriComponentAws, encodeUriPath } from '../../../src/lib/uri.js';
import { expectInvalidArgument, expectS3Error } from '../support.js';

const VERSION = '0123456789abcdef0123456789abcdef';

const ACCEPTED: readonly (readonly [value: string, key: string, versionId?: string])[] = [
  ['src/key', 'key'],
  ['/src/key', 'key'],
  ['src/a/b/c', 'a/b/c'],
  ['src//key', '/key'],
  ['src/../x/', '../x/'],
  ['src%2Fa%2Fb', 'a/b'],
  ['%2Fsrc%2Fkey', 'key'],
  ['src/a%20b', 'a b'],
  ['src/a+b', 'a b'],
  ['src/a%2Bb', 'a+b'],
  // Decoded once.
  ['src/a%2520b', 'a%20b'],
  ['src/%C3%A4', 'ä'],
  ['src/ä b', 'ä b'],
  ['src/%EF%BF%BD', '\uFFFD'],
  ['src/a?b', 'a?b'],
  ['src/a%3FversionId%3Db', 'a?versionId=b'],
  [`src/key?versionId=${VERSION}`, 'key', VERSION],
  [`/src/key?versionId=null`, 'key', 'null'],
  [`src/a?versionId=b?versionId=null`, 'a?versionId=b', 'null'],
  [`src/${'k'.repeat(1024)}`, 'k'.repeat(1024)],
];

const MENTION = 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey';
const BUCKET = 'Invalid copy source bucket name';
const KEY = 'Invalid copy source object key';
const ENCODING = 'Invalid copy source encoding';

const REFUSED: readonly (readonly [value: string, message: string])[] = [
  ['', MENTION],
  ['/', MENTION],
  ['src', MENTION],
  ['/src', MENTION],
  ['src?versionId=null', MENTION],
  ['//src/key', BUCKET],
  ['Src/key', BUCKET],
  ['src+segments/key', BUCKET],
  ['src%2Bsegments/key', BUCKET],
  ['arn:aws:s3:::src/key', BUCKET],
  ['src/', KEY],
  ['/src/?versionId=null', KEY],
  ['src/a%00b', KEY],
  ['src/%zz', ENCODING],
  ['src/%', ENCODING],
  ['src/%E4', ENCODING],
  ['src/%C0%AF', ENCODING],
  ['src/\uFFFD', ENCODING],
];

describe('s3 rules: the source of a copy', () => {
  for (const [value, key, versionId] of ACCEPTED) {
    it(`reads ${JSON.stringify(value.slice(0, 50))}`, () => {
      expect(parseCopySource(value)).to.deep.equal({ bucket: 'src', key, versionId });
    });
  }

  for (const [value, message] of REFUSED) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      const parse = () => parseCopySource(value);
      const error = expectInvalidArgument(parse, 'x-amz-copy-source', value);
      expect(error.message).to.equal(message);
    });
  }

  for (const versionId of ['', 'x', VERSION.toUpperCase(), `${VERSION}&x=y`]) {
    it(`refuses the version ${JSON.stringify(versionId)}`, () => {
      const parse = () => parseCopySource(`src/key?versionId=${versionId}`);
      expectInvalidArgument(parse, 'versionId', versionId);
    });
  }

  it('refuses a key that no object can have', () => {
    const key = 'k'.repeat(1025);
    // Not that of the destination, which an answer names where an error names none.
    const source = { BucketName: 'src', Key: key, Size: '1025', MaxSizeAllowed: '1024' };
    expectS3Error(() => parseCopySource(`src/${key}`), 'KeyTooLongError', source);
  });

  it('reads every key, encoded with its slashes or without', () => {
    const key = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((text) => !text.includes('\0') && Buffer.byteLength(text) <= 1024);
    fc.assert(
      fc.property(key, (text) => {
        for (const encoded of [
          `src/${encodeUriPath(text)}`,
          `/${encodeUriComponentAws(`src/${text}`)}`,
        ]) {
          expect(parseCopySource(encoded).key).to.equal(text);
          expect(parseCopySource(`${encoded}?versionId=null`).key).to.equal(text);
        }
      }),
    );
  });

  it('bounds what one request copies', () => {
    requireCopyableSize(COPY_BYTES_MAX);
    const { message } = expectS3Error(() => {
      requireCopyableSize(COPY_BYTES_MAX + 1);
    }, 'InvalidRequest');
    expect(message).to.contain('5368709120');
  });
});
