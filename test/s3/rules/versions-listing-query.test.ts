import { expect } from 'chai';
import { parseListObjectVersionsQuery } from '../../../src/s3/rules/versions-listing-query.js';
import { expectInvalidArgument, query } from '../support.js';

const ID = '0123456789abcdef0123456789abcdef';

const NOTHING_ASKED = {
  prefix: '',
  delimiter: undefined,
  keyMarker: '',
  versionIdMarker: '',
  maxKeys: 1000,
  urlEncoded: false,
};

const TABLE: readonly (readonly [raw: string, parsed: object])[] = [
  ['versions', NOTHING_ASKED],
  ['versions&prefix=a%2F&delimiter=%2F', { ...NOTHING_ASKED, prefix: 'a/', delimiter: '/' }],
  ['prefix=&delimiter=&key-marker=&version-id-marker=', NOTHING_ASKED],
  ['key-marker=k', { ...NOTHING_ASKED, keyMarker: 'k' }],
  [
    `key-marker=k&version-id-marker=${ID}`,
    { ...NOTHING_ASKED, keyMarker: 'k', versionIdMarker: ID },
  ],
  [
    'key-marker=k&version-id-marker=null',
    { ...NOTHING_ASKED, keyMarker: 'k', versionIdMarker: 'null' },
  ],
  ['max-keys=0', { ...NOTHING_ASKED, maxKeys: 0 }],
  ['max-keys=2', { ...NOTHING_ASKED, maxKeys: 2 }],
  ['max-keys=2000', NOTHING_ASKED],
  ['encoding-type=url', { ...NOTHING_ASKED, urlEncoded: true }],
];

const WITHOUT_KEY = 'A version-id marker cannot be specified without a key marker.';
const MALFORMED = 'Invalid version id specified';

/** Markers that are refused, and with which message. */
const MARKERS: readonly (readonly [raw: string, value: string, message: string])[] = [
  [`version-id-marker=${ID}`, ID, WITHOUT_KEY],
  ['version-id-marker=null', 'null', WITHOUT_KEY],
  [`key-marker=&version-id-marker=${ID}`, ID, WITHOUT_KEY],
  ['version-id-marker=nonsense', 'nonsense', WITHOUT_KEY],
  ['version-id-marker=', '', WITHOUT_KEY],
  ['key-marker=&version-id-marker=nonsense', 'nonsense', MALFORMED],
  ['key-marker=k&version-id-marker=', '', 'A version-id marker cannot be empty.'],
  ['key-marker=k&version-id-marker=nonsense', 'nonsense', MALFORMED],
  ['key-marker=k&version-id-marker=NULL', 'NULL', MALFORMED],
  [`key-marker=k&version-id-marker=${ID.toUpperCase()}`, ID.toUpperCase(), MALFORMED],
  [`key-marker=k&version-id-marker=${ID}0`, `${ID}0`, MALFORMED],
];

describe('s3 rules: parameters of ListObjectVersions', () => {
  for (const [raw, parsed] of TABLE) {
    it(`reads ${raw}`, () => {
      expect(parseListObjectVersionsQuery(query(raw))).to.deep.equal(parsed);
    });
  }

  for (const [raw, value, message] of MARKERS) {
    it(`refuses ${raw}`, () => {
      const parse = () => parseListObjectVersionsQuery(query(raw));
      const error = expectInvalidArgument(parse, 'version-id-marker', value);
      expect(error.message).to.equal(message);
    });
  }

  for (const [name, value] of [
    ['max-keys', '-1'],
    ['max-keys', 'x'],
    ['max-keys', ''],
    ['max-keys', '2147483648'],
    ['encoding-type', 'base64'],
    ['encoding-type', ''],
  ] as const) {
    it(`refuses ${name}=${value}`, () => {
      const raw = `versions&${name}=${value}`;
      expectInvalidArgument(() => parseListObjectVersionsQuery(query(raw)), name, value);
    });
  }
});
