import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Metadata, ObjectUpdate } from '../../../src/backend/backend.js';
import {
  postHeaders,
  putHeaders,
  readStoredObject,
  type StoredObject,
} from '../../../src/backend/swift/stored-object.js';
import { throughSwift, wellFormed } from './support/header-passage.js';

const LIMITS = {
  metaNameBytesMax: 128,
  metaValueBytesMax: 256,
  metaCountMax: 90,
  metaBytesMax: 4096,
  filter: { version: 1 },
};
const NO_FILTER = { ...LIMITS, filter: undefined };

const WRITTEN = '1795160050.29176';
const CHANGED = '1795160051.00000';
const MD5 = '5d41402abc4b2a76b9719d911017c592';

/** An object that was put with these headers, and maybe changed by a POST, as Swift answers it. */
function readBack(
  put: Readonly<Record<string, string>>,
  post?: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): StoredObject {
  const fixed = Object.entries(put).filter(
    ([name]) => post === undefined || /^x-gateway-sysmeta-object-|^content-type$/.test(name),
  );
  return readStoredObject(
    throughSwift({
      'content-length': '5',
      etag: MD5,
      'x-timestamp': post === undefined ? WRITTEN : CHANGED,
      'x-gateway-data-timestamp': WRITTEN,
      ...Object.fromEntries(fixed),
      ...post,
      ...more,
    }),
  );
}

const metadataArbitrary = fc.dictionary(
  fc.stringMatching(/^[a-z0-9._-]{1,20}$/),
  fc.oneof(wellFormed(), fc.string({ minLength: 200, maxLength: 400 })),
  { maxKeys: 20, noNullPrototype: true },
);
const systemArbitrary = fc.dictionary(fc.stringMatching(/^[b-d][a-z_]{0,10}$/), wellFormed(), {
  maxKeys: 5,
  noNullPrototype: true,
});
const updateArbitrary = fc.record(
  {
    metadata: metadataArbitrary,
    contentType: fc.constantFrom('a/b', 'text/html; charset="utf-8"'),
    headers: fc.constantFrom<Metadata>({}, { expires: 'never' }),
    systemMetadata: fc.dictionary(
      fc.stringMatching(/^[b-d][a-z_]{0,10}$/),
      fc.option(wellFormed(), { nil: null }),
      { maxKeys: 3, noNullPrototype: true },
    ),
  },
  { requiredKeys: [] },
);

describe('swift: stored objects', () => {
  it('come back as they were described', () => {
    fc.assert(
      fc.property(metadataArbitrary, systemArbitrary, (metadata, systemMetadata) => {
        const headers = { 'cache-control': 'no-store' };
        const described = { contentType: 'text/plain', headers, metadata, systemMetadata };
        const { head } = readBack(putHeaders(described, LIMITS));
        const { etag, size, lastModified, ...rest } = head;
        expect(rest).to.deep.equal(described);
        expect([etag, size, lastModified]).to.deep.equal([MD5, 5, 1_795_160_050_291]);
      }),
    );
  });

  it('come back as they were changed, update by update', () => {
    fc.assert(
      fc.property(
        metadataArbitrary,
        systemArbitrary,
        fc.array(updateArbitrary, { minLength: 1, maxLength: 3 }),
        (metadata, systemMetadata, updates) => {
          const put = putHeaders({ contentType: 'a/a', metadata, systemMetadata }, LIMITS);
          let stored = readBack(put);
          let wanted = stored.head;
          for (const update of updates) {
            stored = readBack(put, postHeaders(stored, update, LIMITS), {
              'content-type': update.contentType ?? wanted.contentType,
            });
            wanted = changed(wanted, update);
            expect(stored.head).to.deep.equal(wanted);
          }
        },
      ),
    );
  });

  it('do not take over what was meant for the object before them', () => {
    const put = putHeaders({ contentType: 'a/b', systemMetadata: { tags: 'old' } }, LIMITS);
    const update = { systemMetadata: { tags: 'new' }, metadata: { long: 'x'.repeat(300) } };
    const post = postHeaders(readBack(put), update, LIMITS);
    expect(readBack(put, post).head.systemMetadata).to.deep.equal({ tags: 'new' });
    const newer = { 'x-gateway-data-timestamp': '1795160050.29177' };
    const { head } = readBack(put, post, newer);
    expect([head.systemMetadata, head.metadata]).to.deep.equal([{ tags: 'old' }, {}]);
  });

  it('lose what overflowed when a client of Swift replaces the metadata', () => {
    const put = putHeaders({ contentType: 'a/b', metadata: { long: 'x'.repeat(300) } }, LIMITS);
    expect(readBack(put).head.metadata).to.have.property('long');
    const { head } = readBack(put, { 'x-object-meta-theirs': '1' });
    expect(head.metadata).to.deep.equal({ theirs: '1' });
  });

  it('keep through a change what Swift would take away', () => {
    const more = { 'x-delete-at': '1900000000', 'x-object-manifest': 'c/p' };
    const stored = readBack({ 'content-type': 'a/b' }, undefined, more);
    expect(stored.head.deleteAt).to.equal(1_900_000_000_000);
    expect(postHeaders(stored, { metadata: { a: 'b' } }, LIMITS)).to.deep.equal({
      ...more,
      'x-object-meta-a': 'b',
    });
    expect(postHeaders(stored, { deleteAt: null }, LIMITS)).to.not.have.property('x-delete-at');
  });

  it('are read as s3api wrote them', () => {
    const s3api = {
      'x-gateway-sysmeta-object-s3api-etag': 'abc-12',
      'x-static-large-object': 'True',
    };
    expect(readBack({}, undefined, s3api).head).to.include({ etag: 'abc-12', segmentCount: 12 });
    const metadata = { 'x-object-meta-foo%3d5fbar': 'v' };
    expect(readBack({}, undefined, metadata).head.metadata).to.deep.equal({ foo_bar: 'v' });
  });

  it('have no MD5 of a body that Swift has no MD5 of', () => {
    for (const more of [{ 'x-static-large-object': 'true' }, { 'x-object-manifest': 'c/p' }]) {
      const { head } = readBack({}, undefined, { ...more, etag: `"${MD5}"` });
      expect(head.etag).to.equal(`${MD5}-N`);
    }
  });

  it('without the filter have no system metadata, and no room for long values', () => {
    const described = { contentType: 'a/b', metadata: { a: 'b' }, systemMetadata: { c: 'd' } };
    expect(putHeaders(described, NO_FILTER)).to.deep.equal({
      'content-type': 'a/b',
      'x-object-meta-a': 'b',
    });
    const long = { metadata: { a: 'x'.repeat(257) } };
    expect(() => putHeaders(long, NO_FILTER))
      .to.throw()
      .with.property('code', 'Unsupported');
  });

  it('are refused with more metadata than Swift takes', () => {
    for (const systemMetadata of [{ a: incompressible(61_000) }, many(170)]) {
      expect(() => putHeaders({ systemMetadata }, LIMITS))
        .to.throw(/this is \d+ bytes and \d+ items/)
        .with.property('code', 'Unsupported');
    }
    const most = { systemMetadata: { a: incompressible(59_000) } };
    expect(() => putHeaders(most, LIMITS)).to.not.throw();
  });
});

function incompressible(length: number): string {
  return randomBytes(length).toString('base64').slice(0, length);
}

function many(count: number): Metadata {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, 'x']));
}

function changed(head: StoredObject['head'], update: ObjectUpdate): StoredObject['head'] {
  const systemMetadata = new Map(Object.entries(head.systemMetadata));
  for (const [name, value] of Object.entries(update.systemMetadata ?? {})) {
    if (value === null) systemMetadata.delete(name);
    else systemMetadata.set(name, value);
  }
  return {
    ...head,
    metadata: update.metadata ?? head.metadata,
    headers: update.headers ?? head.headers,
    contentType: update.contentType ?? head.contentType,
    systemMetadata: Object.fromEntries(systemMetadata),
  };
}
