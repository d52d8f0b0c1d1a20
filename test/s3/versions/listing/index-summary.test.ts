import { expect } from 'chai';
import fc from 'fast-check';
import type { ListedObject, Metadata } from '../../../../src/backend/backend.js';
import {
  indexListingAttributes,
  LISTING_ATTRIBUTES,
  listedOutline,
  listedSummary,
  listedVersions,
} from '../../../../src/s3/versions/listing/index-summary.js';
import type { VersionEntry, VersionIndex } from '../../../../src/s3/versions/version-entry.js';
import { indexOf, version, versionNames } from './support.js';

const [FIRST = '', SECOND = '', THIRD = '', FOURTH = ''] = versionNames('key', 4);

const hex = fc.string({
  unit: fc.constantFrom(...[...Array(16).keys()].map((digit) => digit.toString(16))),
  minLength: 32,
  maxLength: 32,
});
const integer = fc.oneof(
  fc.nat(),
  fc.maxSafeNat().map((value) => value % 2 ** 48),
);
const optional = <Value>(values: readonly Value[]) => fc.constantFrom(undefined, ...values);

const entry: fc.Arbitrary<VersionEntry> = fc
  .record({
    name: hex,
    isNull: fc.boolean(),
    isMarker: fc.boolean(),
    lastModified: integer,
    size: integer,
    md5: hex,
    parts: fc.oneof(
      fc.constant(''),
      fc.integer({ min: 1, max: 10_000 }).map((n) => `-${n}`),
    ),
    storageClass: optional(['STANDARD_IA', 'GLACIER', 'DEEP_ARCHIVE']),
    checksumAlgorithm: optional(['CRC32', 'CRC64NVME', 'SHA256']),
  })
  .map(({ name, isNull, isMarker, lastModified, size, md5, parts, ...others }) => ({
    id: isNull ? 'null' : name,
    name,
    lastModified,
    ...(isMarker
      ? { kind: 'delete-marker', size: 0, etag: '' }
      : { kind: 'version', size, etag: md5 + parts, ...defined(others) }),
  }));

function defined(fields: Readonly<Record<string, string | undefined>>): Metadata {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function listed(attributes: Metadata): ListedObject {
  return { name: '', size: 0, etag: '', lastModified: 0, contentType: '', attributes };
}

function summaryOf(index: VersionIndex) {
  return listedSummary(listed(indexListingAttributes(index)));
}

describe('s3 versions: summaries of indexes', () => {
  it('tell small indexes whole, and others not at all, within what a listing shows', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), integer, (entries, generation) => {
        const index = indexOf(entries, generation);
        const attributes = indexListingAttributes(index);
        const characters = Object.entries(attributes).flat().join('');
        expect(characters.length).to.be.at.most(256);
        expect(listedVersions(listed(attributes))).to.equal(entries.length);
        const summary = listedSummary(listed(attributes));
        if (entries.length <= 3) expect(summary).to.not.equal(undefined);
        if (summary !== undefined) expect(summary).to.deep.equal({ generation, entries });
      }),
    );
  });

  it('tell two versions, each below a delete marker', () => {
    const kind = 'delete-marker';
    const entries = [
      version(FIRST, { kind }),
      version(SECOND),
      version(THIRD, { kind }),
      version(FOURTH, { id: 'null', storageClass: 'GLACIER' }),
    ];
    expect(summaryOf(indexOf(entries))).to.deep.equal({ generation: 7, entries });
  });

  it('leave an outline where they do not fit', () => {
    const entries = [FIRST, SECOND, THIRD, FOURTH].map((name) => version(name));
    const marked = [version('0'.repeat(32), { kind: 'delete-marker' }), ...entries];
    const index = listed(indexListingAttributes(indexOf(marked)));
    expect(listedSummary(index)).to.equal(undefined);
    expect(listedOutline(index)).to.deep.equal({ generation: 7, versions: 5, deleteMarkers: 1 });
  });

  it('leave out what only writers need', () => {
    const more = { uploadId: 'u', touched: 'c', locks: { lock: 'on' } };
    const adopted = { etag: 'e', lastModified: 1 };
    const entries = [version(FIRST, { ...more, adopted })];
    expect(summaryOf(indexOf(entries))?.entries).to.deep.equal([version(FIRST)]);
  });

  const untold: Readonly<Record<string, VersionEntry>> = {
    'a storage class of its own': version(FIRST, { storageClass: 'TAPE' }),
    'an owner of its own': version(FIRST, { owner: 'main:anna' }),
    'an unknown algorithm': version(FIRST, { checksumAlgorithm: 'MD4' }),
    'an ETag that is no MD5': version(FIRST, { etag: 'abc' }),
    'more parts than there can be': version(FIRST, { etag: `${FIRST}-70000` }),
    'a size beyond 2^48': version(FIRST, { size: 2 ** 48 }),
    'a fraction of a millisecond': version(FIRST, { lastModified: 1.5 }),
    'a name of another form': version('ABC'),
    'an id that is neither': version(FIRST, { id: SECOND }),
    'a field that is not known': { ...version(FIRST), colour: 'red' } as VersionEntry,
  };
  for (const [what, odd] of Object.entries(untold)) {
    it(`are not made with ${what}`, () => {
      expect(indexListingAttributes(indexOf([odd]))).to.deep.equal({
        [LISTING_ATTRIBUTES.versions]: '1',
        [LISTING_ATTRIBUTES.deleteMarkers]: '0',
        [LISTING_ATTRIBUTES.generation]: '7',
      });
    });
  }

  it('are not read when they are cut short or of another format', () => {
    const { [LISTING_ATTRIBUTES.summary]: whole = '' } = indexListingAttributes(
      indexOf([version(FIRST)]),
    );
    const bytes = Buffer.from(whole, 'base64url');
    const read = (summary: Buffer) =>
      listedSummary(listed({ [LISTING_ATTRIBUTES.summary]: summary.toString('base64url') }));
    expect(read(bytes)?.entries).to.have.length(1);
    for (let length = 0; length < bytes.length; length++) {
      if (length !== 7) expect(read(bytes.subarray(0, length)), `${length}`).to.equal(undefined);
    }
    expect(read(Buffer.concat([Buffer.from([9]), bytes.subarray(1)]))).to.equal(undefined);
  });

  it('know no number of versions where none is listed', () => {
    expect(listedVersions(listed({}))).to.equal(undefined);
    expect(listedVersions(listed({ [LISTING_ATTRIBUTES.versions]: 'many' }))).to.equal(undefined);
    expect(listedOutline(listed({ [LISTING_ATTRIBUTES.versions]: '2' }))).to.equal(undefined);
  });
});
