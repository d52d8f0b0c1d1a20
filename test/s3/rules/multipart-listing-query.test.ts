import { expect } from 'chai';
import {
  parseListMultipartUploadsQuery,
  parseListPartsQuery,
} from '../../../src/s3/rules/multipart-listing-query.js';
import { mintUploadId } from '../../../src/s3/rules/upload-id.js';
import { expectInvalidArgument, query } from '../support.js';

const ID = mintUploadId(0);

const PARTS = { uploadId: ID, maxParts: 1000, partNumberMarker: 0, urlEncoded: false };
const UPLOADS = {
  prefix: '',
  delimiter: undefined,
  keyMarker: '',
  uploadIdMarker: '',
  maxUploads: 1000,
  urlEncoded: false,
};

const PARTS_TABLE: readonly (readonly [raw: string, parsed: object])[] = [
  ['', PARTS],
  ['max-parts=0', { ...PARTS, maxParts: 0 }],
  ['max-parts=7&part-number-marker=3', { ...PARTS, maxParts: 7, partNumberMarker: 3 }],
  ['max-parts=1001', PARTS],
  ['part-number-marker=20000', { ...PARTS, partNumberMarker: 20_000 }],
  ['encoding-type=url', { ...PARTS, urlEncoded: true }],
];

const UPLOADS_TABLE: readonly (readonly [raw: string, parsed: object])[] = [
  ['', UPLOADS],
  ['prefix=a%2F&delimiter=%2F', { ...UPLOADS, prefix: 'a/', delimiter: '/' }],
  ['prefix=&delimiter=&key-marker=&upload-id-marker=', UPLOADS],
  ['key-marker=k', { ...UPLOADS, keyMarker: 'k' }],
  [`key-marker=k&upload-id-marker=${ID}`, { ...UPLOADS, keyMarker: 'k', uploadIdMarker: ID }],
  // AWS: "If key-marker is not specified, the upload-id-marker parameter is ignored."
  [`upload-id-marker=${ID}`, UPLOADS],
  ['upload-id-marker=nonsense', UPLOADS],
  ['max-uploads=1', { ...UPLOADS, maxUploads: 1 }],
  ['max-uploads=5000', UPLOADS],
  ['encoding-type=url', { ...UPLOADS, urlEncoded: true }],
];

describe('s3 rules: parameters of multipart listings', () => {
  for (const [raw, parsed] of PARTS_TABLE) {
    it(`ListParts reads ${JSON.stringify(raw)}`, () => {
      expect(parseListPartsQuery(query(`uploadId=${ID}&${raw}`))).to.deep.equal(parsed);
    });
  }

  for (const [raw, parsed] of UPLOADS_TABLE) {
    it(`ListMultipartUploads reads ${JSON.stringify(raw)}`, () => {
      expect(parseListMultipartUploadsQuery(query(raw))).to.deep.equal(parsed);
    });
  }

  for (const [name, value] of [
    ['max-parts', '-1'],
    ['max-parts', 'x'],
    ['max-parts', ''],
    ['max-parts', '2147483648'],
    ['part-number-marker', '-1'],
    ['part-number-marker', 'x'],
    ['encoding-type', 'base64'],
  ] as const) {
    it(`ListParts refuses ${name}=${value}`, () => {
      const raw = `uploadId=${ID}&${name}=${value}`;
      expectInvalidArgument(() => parseListPartsQuery(query(raw)), name, value);
    });
  }

  for (const [name, value] of [
    ['max-uploads', '-1'],
    ['max-uploads', 'x'],
    ['encoding-type', ''],
    ['upload-id-marker', 'nonsense'],
  ] as const) {
    it(`ListMultipartUploads refuses ${name}=${value}`, () => {
      const raw = `key-marker=k&${name}=${value}`;
      expectInvalidArgument(() => parseListMultipartUploadsQuery(query(raw)), name, value);
    });
  }
});
