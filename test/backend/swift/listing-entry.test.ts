import { expect } from 'chai';
import fc from 'fast-check';
import { listingHeaders, readListedHash } from '../../../src/backend/swift/listing-requests.js';
import { wellFormed } from './support/header-passage.js';

type Middlewares = (hash: string) => string;

const MD5 = '5d41402abc4b2a76b9719d911017c592';
const OVERRIDE = 'x-gateway-sysmeta-object-container-update-override-';

describe('swift: listing entries', () => {
  it('of plain objects need no headers', () => {
    expect(listingHeaders({ md5: MD5 })).to.deep.equal({});
    expect(listingHeaders({ md5: MD5, etag: MD5, attributes: {} })).to.deep.equal({});
    const plain = { md5: MD5, etag: undefined, attributes: {} };
    expect(readListedHash(MD5)).to.deep.equal(plain);
  });

  it('of links that hold to an ETag have what a proxy makes fields of', () => {
    const hash = `${MD5}; symlink_target=c/o; symlink_target_etag=e; symlink_target_bytes=7`;
    const listed = { md5: MD5, etag: undefined, attributes: {}, targetEtag: 'e', targetBytes: 7 };
    expect(readListedHash(hash)).to.deep.equal(listed);
  });

  it('have the ETag of S3 where s3api has it', () => {
    expect(listingHeaders({ etag: 'abc-3' })).to.deep.equal({
      [`${OVERRIDE}etag`]: '; s3_etag=abc-3',
    });
    const hash = `${MD5}; s3_etag=abc-3; slo_etag=whatever`;
    const listed = { md5: MD5, etag: 'abc-3', attributes: {}, sloEtag: 'whatever' };
    expect(readListedHash(hash)).to.deep.equal(listed);
  });

  it('of links look like their targets, to every reader', () => {
    expect(
      listingHeaders({ etag: MD5, size: 77, attributes: { 's3-version-id': 'v' } }),
    ).to.deep.equal({
      [`${OVERRIDE}etag`]: `${MD5}; rw_s3-version-id=v`,
      [`${OVERRIDE}size`]: '77',
    });
  });

  for (const [what, through] of [
    ['that use Python', throughPython],
    ['that have a parser of their own', throughTokens],
  ] as const) {
    it(`come back whatever they are, through middlewares of Swift ${what}`, () => {
      fc.assert(
        fc.property(
          fc.dictionary(NAME, VALUE, { maxKeys: 5, noNullPrototype: true }),
          VALUE.filter((etag) => etag !== ''),
          (attributes, etag) => {
            expectBack(through, attributes, etag);
          },
        ),
      );
    });

    it(`name users and checksums behind middlewares of Swift ${what}`, () => {
      const attributes = {
        's3-initiator': 'test:tester',
        's3-upload-checksum': 'CRC64NVME:FULL_OBJECT',
        's3-owner': 'someone@example.org',
        's3-storage-class': 'GLACIER/IR',
      };
      expectBack(through, attributes, 'abc-3');
    });
  }
});

const NAME = fc.stringMatching(/^[a-z][a-z0-9_.=; -]{0,20}$/);
const VALUE = fc.oneof(wellFormed(), fc.stringMatching(/^[a-z:@/+=,?]{0,8}$/));

function expectBack(
  through: Middlewares,
  attributes: Readonly<Record<string, string>>,
  etag: string,
): void {
  const headers = listingHeaders({ md5: MD5, etag, attributes });
  const hash = through(headers[`${OVERRIDE}etag`] ?? '');
  expect(readListedHash(hash)).to.deep.equal({ md5: MD5, etag, attributes });
}

/** Reads it as Python's cgi.parse_header, and puts it together again as slo and symlink do. */
function throughPython(hash: string): string {
  const [value = '', ...parameters] = hash.split(';').map((part) => part.trim());
  const again = parameters.map((parameter) => {
    const equals = parameter.indexOf('=');
    const name = parameter.slice(0, equals).trim().toLowerCase();
    const text = parameter.slice(equals + 1).trim();
    if (text.includes('"')) throw new Error(`a quote in ${hash}`);
    return `; ${name}=${text}`;
  });
  return [value, ...again].join('');
}

/**
 * The same of Swift 2.38's own parse_header: names and values end where a character is none of a
 * token, but for `/`, and what follows up to the next parameter is left out.
 */
function throughTokens(hash: string): string {
  const end = hash.indexOf(';');
  if (end === -1) return hash;
  const again = [...hash.slice(end).matchAll(TOKENS)].map(
    ([, name = '', value = '']) => `; ${name}=${value}`,
  );
  return [hash.slice(0, end), ...again].join('');
}

const TOKEN = String.raw`[^()<>@,;:"[\]?={}\x00-\x20\x7f]+`;
const TOKENS = new RegExp(String.raw`\s*;\s*(${TOKEN})\s*(?:=\s*(${TOKEN}))?`, 'g');
