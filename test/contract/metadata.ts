import { expect } from 'chai';
import {
  bytesOf,
  CONTEXT,
  createdBy,
  failure,
  type Fixture,
  freshObject,
  inputOf,
  LARGE,
  listed,
  patternBytes,
  readObject,
  SMALL,
} from './fixture.js';

const FULL = {
  contentType: 'text/html; charset="utf-8"',
  headers: {
    'cache-control': 'no-store',
    'content-disposition': 'attachment; filename="a b.txt"',
    'content-encoding': 'gzip',
    'content-language': 'de, en',
    expires: 'Thu, 01 Dec 1994 16:00:00 GMT',
  },
  metadata: { mtime: '1700000000.123', title: 'grüße 😀', empty: '' },
  systemMetadata: { 's3api-acl': '{"Owner":"AUTH_test"}', tags: 'a=1&b=%20' },
};

export function describeMetadata(fixture: Fixture): void {
  describe('metadata', () => {
    it('comes back as it was written, with times and sizes', async () => {
      const ref = await freshObject(fixture);
      const put = createdBy(await fixture.backend.putObject(CONTEXT, ref, inputOf('hello', FULL)));
      expect(put.etag).to.equal('5d41402abc4b2a76b9719d911017c592');
      expect(put.lastModified).to.be.closeTo(Date.now(), 60_000);
      const head = await fixture.backend.headObject(CONTEXT, ref);
      const { etag, lastModified } = put;
      expect(head).to.deep.equal({ size: 5, etag, lastModified, ...FULL });
      const got = await fixture.backend.getObject(CONTEXT, ref);
      expect(got.head).to.deep.equal(head);
      expect((await bytesOf(got)).toString()).to.equal('hello');
    });

    it('has the time of its write, the same wherever it is told', async () => {
      // By the store's clock, in whole milliseconds: writes of one name follow each other in it, but
      // two of them may have the same time. Nothing can be ordered, or told apart, by it alone.
      const ref = await freshObject(fixture);
      let former = 0;
      for (let write = 0; write < 5; write++) {
        const input = inputOf(String(write));
        const { lastModified } = createdBy(await fixture.backend.putObject(CONTEXT, ref, input));
        expect(Number.isInteger(lastModified)).to.be.true;
        expect(lastModified).to.be.at.least(former);
        expect(await fixture.backend.headObject(CONTEXT, ref)).to.include({ lastModified });
        expect(await listed(fixture, ref)).to.include({ lastModified });
        former = lastModified;
      }
    });

    it('keeps names that JavaScript treats as special', async () => {
      const ref = await freshObject(fixture);
      const metadata = { constructor: '1', hasownproperty: '2', '10': '3' };
      await fixture.backend.putObject(CONTEXT, ref, inputOf('x', { metadata }));
      expect((await fixture.backend.headObject(CONTEXT, ref)).metadata).to.deep.equal(metadata);
    });

    it('is replaced as a whole by the next put', async () => {
      const ref = await freshObject(fixture);
      await fixture.backend.putObject(CONTEXT, ref, inputOf('x', FULL));
      await fixture.backend.putObject(CONTEXT, ref, inputOf('y'));
      const head = await fixture.backend.headObject(CONTEXT, ref);
      expect([head.headers, head.metadata, head.systemMetadata]).to.deep.equal([{}, {}, {}]);
    });

    for (const size of [SMALL, LARGE]) {
      it(`changes in place without touching a body of ${size} bytes`, async () => {
        const ref = await freshObject(fixture);
        const body = patternBytes(size);
        await fixture.backend.putObject(CONTEXT, ref, inputOf(body, FULL));
        const before = await fixture.backend.headObject(CONTEXT, ref);
        await fixture.backend.updateObject(CONTEXT, ref, {
          metadata: { only: 'this' },
          systemMetadata: { tags: null, added: 'new' },
        });
        const after = await fixture.backend.headObject(CONTEXT, ref);
        expect(after).to.deep.equal({
          ...before,
          metadata: { only: 'this' },
          systemMetadata: { 's3api-acl': FULL.systemMetadata['s3api-acl'], added: 'new' },
        });
        expect(await readObject(fixture, ref)).to.deep.equal(body);
        await fixture.backend.updateObject(CONTEXT, ref, { contentType: 'a/b', headers: {} });
        const last = await fixture.backend.headObject(CONTEXT, ref);
        expect(last).to.deep.equal({ ...after, contentType: 'a/b', headers: {} });
      });
    }

    it('never mixes an update with a racing put', async () => {
      const ref = await freshObject(fixture);
      for (let round = 0; round < 20; round++) {
        const name = String(round);
        await fixture.backend.putObject(CONTEXT, ref, inputOf('old', { metadata: { of: 'old' } }));
        await Promise.all([
          fixture.backend.putObject(CONTEXT, ref, inputOf(name, { metadata: { of: name } })),
          fixture.backend.updateObject(CONTEXT, ref, { systemMetadata: { updated: name } }),
        ]);
        const result = await fixture.backend.getObject(CONTEXT, ref);
        expect((await bytesOf(result)).toString()).to.equal(name);
        expect(result.head.metadata).to.deep.equal({ of: name });
      }
    });

    it('merges concurrent patches of system metadata', async () => {
      const ref = await freshObject(fixture);
      await fixture.backend.putObject(CONTEXT, ref, inputOf('x'));
      const names = Array.from({ length: 10 }, (_, i) => `name-${i}`);
      await Promise.all(
        names.map((name) =>
          fixture.backend.updateObject(CONTEXT, ref, { systemMetadata: { [name]: name } }),
        ),
      );
      const { systemMetadata } = await fixture.backend.headObject(CONTEXT, ref);
      expect(Object.keys(systemMetadata).sort()).to.deep.equal(names);
    });

    it('shows listing attributes with the entry, and keeps them through an update', async () => {
      const ref = await freshObject(fixture, 'o');
      const attributes = { class: 'COLD' };
      const input = inputOf('x', { listingAttributes: attributes });
      const put = createdBy(await fixture.backend.putObject(CONTEXT, ref, input));
      await fixture.backend.updateObject(CONTEXT, ref, { metadata: { a: 'b' } });
      const { etag, lastModified } = put;
      const object = { name: 'o', size: 1, etag, lastModified, contentType: 'text/plain' };
      expect(await listed(fixture, ref)).to.deep.equal({ ...object, attributes });
    });

    it('of a missing object cannot be read or changed', async () => {
      const ref = await freshObject(fixture);
      await failure('NoSuchObject', fixture.backend.headObject(CONTEXT, ref));
      await failure('NoSuchObject', fixture.backend.getObject(CONTEXT, ref));
      await failure('NoSuchObject', fixture.backend.updateObject(CONTEXT, ref, {}));
      await failure('NoSuchObject', fixture.backend.deleteObject(CONTEXT, ref));
    });
  });
}
