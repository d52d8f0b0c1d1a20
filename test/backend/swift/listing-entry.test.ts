import { expect } from 'chai';
import fc from 'fast-check';
import { listingHeaders, readListedHash } from '../../../src/backend/swift/listing-requests.js';
import { wellFormed } from './support/header-passage.js';

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

  it('come back whatever they are, through the middlewares of Swift', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_.=; -]{0,20}$/);
    fc.assert(
      fc.property(
        fc.dictionary(name, wellFormed(), { maxKeys: 5, noNullPrototype: true }),
        wellFormed().filter((etag) => etag !== ''),
        (attributes, etag) => {
          const headers = listingHeaders({ md5: MD5, etag, attributes });
          const hash = throughMiddlewares(headers[`${OVERRIDE}etag`] ?? '');
          expect(readListedHash(hash)).to.deep.equal({ md5: MD5, etag, attributes });
        },
      ),
    );
  });
});

/** What Python's cgi.parse_header understands of it, put together again as slo and symlink do. */
function throughMiddlewares(hash: string): string {
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
