import { expect } from 'chai';
import fc from 'fast-check';
import { element, optionalElement, xmlDocument } from '../../../src/s3/xml/escape.js';
import { listedName, ObjectListing, type ListedKey } from '../../../src/s3/xml/listing-entries.js';
import { renderOwner } from '../../../src/s3/xml/owner.js';
import { formatIsoDate } from '../../../src/s3/rules/dates.js';

const text = fc.oneof(
  fc.constantFrom('a', 'STANDARD', 'x/y z', '<&>"', '\u0001', 'é', '🚀', '%'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const OWNERS = ['one', 'two & <co>', '\u0002'].map((id) => ({ id, displayName: id }));

const entries: fc.Arbitrary<ListedKey> = fc.record({
  key: text,
  // Neighbours of the same second, of others, and of a year with five digits.
  lastModified: fc.constantFrom(0, 999, 1000, 1_700_000_000_000, 300_000_000_000_000),
  etag: fc.oneof(fc.constant('d41d8cd98f00b204e9800998ecf8427e'), text),
  size: fc.constantFrom(0, 7, 2 ** 31, 5 * 2 ** 40),
  storageClass: fc.constantFrom('STANDARD', 'GLACIER', '<\u0003>'),
  owner: fc.constantFrom(undefined, ...OWNERS),
  checksumAlgorithm: fc.constantFrom(undefined, 'CRC32', 'SHA256', '&'),
});

/** The entry as it is documented, put together from strings. */
function asText(entry: ListedKey, urlEncoded: boolean): string {
  return (
    `<Contents><Key>${listedName(entry.key, urlEncoded)}</Key>` +
    element('LastModified', formatIsoDate(entry.lastModified)) +
    `<ETag>&quot;${listedName(entry.etag, false)}&quot;</ETag>` +
    optionalElement('ChecksumAlgorithm', entry.checksumAlgorithm) +
    `<Size>${entry.size}</Size>${entry.owner === undefined ? '' : renderOwner(entry.owner)}` +
    `${element('StorageClass', entry.storageClass)}</Contents>`
  );
}

describe('ObjectListing', () => {
  it('makes the document that the strings would be, whatever its entries have', () => {
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 30 }), fc.boolean(), (listed, urlEncoded) => {
        const listing = new ObjectListing(0, urlEncoded);
        for (const entry of listed) listing.addKey(entry);
        const contents = listed.map((entry) => asText(entry, urlEncoded)).join('');
        expect(listing.take('<ListBucketResult>').toString()).to.equal(
          xmlDocument(`<ListBucketResult>${contents}</ListBucketResult>`),
        );
      }),
    );
  });
});
