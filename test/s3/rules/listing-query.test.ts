import { expect } from 'chai';
import { encodeContinuationToken } from '../../../src/s3/rules/continuation-token.js';
import {
  parseListBucketsQuery,
  parseListObjectsQuery,
  parseListObjectsV2Query,
} from '../../../src/s3/rules/listing-query.js';
import { expectInvalidArgument, expectS3Error, query } from '../support.js';

const COMMON = { prefix: '', delimiter: undefined, marker: '', maxKeys: 1000, urlEncoded: false };
const V2 = { ...COMMON, startAfter: undefined, continuationToken: undefined, fetchOwner: false };
const TOKEN = encodeContinuationToken('k');

const V1_TABLE: readonly (readonly [raw: string, parsed: object])[] = [
  ['', COMMON],
  [
    'prefix=a%2F&delimiter=%2F&marker=a%2Fb',
    { ...COMMON, prefix: 'a/', delimiter: '/', marker: 'a/b' },
  ],
  ['prefix=&delimiter=&marker=', COMMON],
  ['delimiter=abc', { ...COMMON, delimiter: 'abc' }],
  ['max-keys=0', { ...COMMON, maxKeys: 0 }],
  ['max-keys=7', { ...COMMON, maxKeys: 7 }],
  ['max-keys=007', { ...COMMON, maxKeys: 7 }],
  ['max-keys=1000', COMMON],
  ['max-keys=1001', COMMON],
  ['max-keys=2147483647', COMMON],
  ['encoding-type=url', { ...COMMON, urlEncoded: true }],
  // Parameters of version 2 mean nothing here.
  ['start-after=a&continuation-token=b', COMMON],
];

const V2_TABLE: readonly (readonly [raw: string, parsed: object])[] = [
  ['list-type=2', V2],
  ['list-type=2&start-after=s', { ...V2, startAfter: 's', marker: 's' }],
  [`list-type=2&continuation-token=${TOKEN}`, { ...V2, continuationToken: TOKEN, marker: 'k' }],
  [
    `list-type=2&continuation-token=${TOKEN}&start-after=s`,
    { ...V2, continuationToken: TOKEN, startAfter: 's', marker: 'k' },
  ],
  ['list-type=2&continuation-token=', { ...V2, continuationToken: '' }],
  [
    'list-type=2&continuation-token=&start-after=s',
    { ...V2, continuationToken: '', startAfter: 's', marker: 's' },
  ],
  ['list-type=2&delimiter=&start-after=', { ...V2, startAfter: '' }],
  ['list-type=2&fetch-owner=true', { ...V2, fetchOwner: true }],
  ['list-type=2&fetch-owner=false', V2],
  ['list-type=2&marker=m', V2],
];

const REFUSED: readonly (readonly [raw: string, name: string, value: string])[] = [
  ['max-keys=-1', 'max-keys', '-1'],
  ['max-keys=abc', 'max-keys', 'abc'],
  ['max-keys=', 'max-keys', ''],
  ['max-keys=1.5', 'max-keys', '1.5'],
  ['max-keys=1e3', 'max-keys', '1e3'],
  ['max-keys=0x10', 'max-keys', '0x10'],
  ['max-keys=2147483648', 'max-keys', '2147483648'],
  ['encoding-type=', 'encoding-type', ''],
  ['encoding-type=base64', 'encoding-type', 'base64'],
  ['list-type=3', 'list-type', '3'],
  ['list-type=', 'list-type', ''],
  ['continuation-token=a%2Fkey', 'continuation-token', 'a/key'],
];

describe('s3 rules: listing parameters', () => {
  for (const [raw, parsed] of V1_TABLE) {
    it(`version 1 reads ${JSON.stringify(raw)}`, () => {
      expect(parseListObjectsQuery(query(raw))).to.deep.equal(parsed);
    });
  }

  for (const [raw, parsed] of V2_TABLE) {
    it(`version 2 reads ${JSON.stringify(raw)}`, () => {
      expect(parseListObjectsV2Query(query(raw))).to.deep.equal(parsed);
    });
  }

  for (const [raw, name, value] of REFUSED) {
    it(`refuses ${raw}`, () => {
      const full = raw.startsWith('list-type') ? raw : `list-type=2&${raw}`;
      expectInvalidArgument(() => parseListObjectsV2Query(query(full)), name, value);
    });
  }

  it('reads the parameters of ListBuckets', () => {
    expect(parseListBucketsQuery(query(''))).to.deep.equal({
      prefix: '',
      marker: '',
      maxBuckets: 10_000,
      bucketRegion: undefined,
    });
    const raw = `prefix=a&max-buckets=5&continuation-token=${TOKEN}&bucket-region=here`;
    expect(parseListBucketsQuery(query(raw))).to.deep.equal({
      prefix: 'a',
      marker: 'k',
      maxBuckets: 5,
      bucketRegion: 'here',
    });
    expect(parseListBucketsQuery(query('continuation-token=&max-buckets=10000'))).to.include({
      marker: '',
      maxBuckets: 10_000,
    });
    for (const value of ['0', '10001', '-1', 'x', '']) {
      expectS3Error(() => parseListBucketsQuery(query(`max-buckets=${value}`)), 'InvalidArgument');
    }
  });
});
