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
  md5Of,
  patternBytes,
  readObject,
  SMALL,
} from './fixture.js';
import { companionOf, manifestOf, putSegments } from './segments.js';

/** Copies of a part, and of what is in parts. */
export function describePartialCopies(fixture: Fixture): void {
  it('of a range are its bytes, and have their MD5', async () => {
    const { backend } = fixture;
    const from = await freshObject(fixture, 'from');
    const to = { ...from, object: 'to' };
    for (const size of [SMALL, LARGE]) {
      const bytes = patternBytes(size);
      await backend.putObject(CONTEXT, from, inputOf(bytes));
      const ranges = [
        [0, 0],
        [2, 7],
        [1, size - 1],
        [0, size - 2],
        [0, size - 1],
      ] as const;
      for (const [start, end] of ranges) {
        const wanted = bytes.subarray(start, end + 1);
        const copied = await backend.copyObject(CONTEXT, from, to, { range: { start, end } });
        expect(createdBy(copied).etag).to.equal(md5Of(wanted));
        expect((await readObject(fixture, to)).equals(wanted)).to.be.true;
      }
    }
  });

  it('of a range, or of a large object, are listed with their MD5 and their attributes', async () => {
    const { backend } = fixture;
    const from = await freshObject(fixture, 'from');
    const companion = await companionOf(fixture, from);
    const { segments, whole } = await putSegments(fixture, companion, [SMALL, LARGE]);
    await backend.putManifest(CONTEXT, { ...from, object: 'large' }, manifestOf(segments));
    await backend.putObject(CONTEXT, from, inputOf(whole, { listingAttributes: { class: 'OLD' } }));
    for (const object of ['from', 'large']) {
      for (const range of [{ start: 3, end: SMALL + 2 }, undefined]) {
        const to = { ...from, object: 'to' };
        const listingAttributes = { class: 'COLD' };
        const input = { range, listingAttributes };
        await backend.copyObject(CONTEXT, { ...from, object }, to, input);
        const wanted = range === undefined ? whole : whole.subarray(range.start, range.end + 1);
        const shown = { size: wanted.length, etag: md5Of(wanted), attributes: listingAttributes };
        expect(await listed(fixture, to)).to.deep.include(shown);
      }
    }
  });

  it('of a range that the source does not have are refused', async () => {
    const from = await freshObject(fixture, 'from');
    const to = { ...from, object: 'to' };
    for (const body of ['', '0123456789']) {
      await fixture.backend.putObject(CONTEXT, from, inputOf(body));
      for (const [start, end] of [
        [0, 10],
        [10, 10],
        [5, 4],
        [-1, 2],
      ] as const) {
        const copy = fixture.backend.copyObject(CONTEXT, from, to, { range: { start, end } });
        await failure('BodyMismatch', copy);
      }
    }
    await failure('NoSuchObject', fixture.backend.headObject(CONTEXT, to));
  });

  it('of a large object, whole or in part, are ordinary objects with an MD5', async () => {
    const { backend } = fixture;
    const from = await freshObject(fixture, 'large');
    const to = { ...from, object: 'to' };
    const parts = await companionOf(fixture, from);
    const { segments, whole } = await putSegments(fixture, parts, [SMALL, 0, LARGE, 7]);
    await backend.putManifest(CONTEXT, from, manifestOf(segments, { metadata: { a: 'b' } }));
    const copied = await backend.copyObject(CONTEXT, from, to, { sourceEtag: 'whole-4' });
    expect(createdBy(copied).etag).to.equal(md5Of(whole));
    const result = await backend.getObject(CONTEXT, to);
    expect((await bytesOf(result)).equals(whole)).to.be.true;
    expect(result.head.metadata).to.deep.equal({ a: 'b' });
    expect(await backend.getSegments(CONTEXT, to)).to.equal(undefined);
    const range = { start: 5, end: SMALL + LARGE + 2 };
    await backend.copyObject(CONTEXT, from, to, { range });
    const part = whole.subarray(range.start, range.end + 1);
    expect((await readObject(fixture, to)).equals(part)).to.be.true;
    const itself = createdBy(await backend.copyObject(CONTEXT, from, from, {}));
    expect(itself).to.deep.include({ etag: md5Of(whole) });
    expect(itself.replacedManifest?.etag).to.equal('whole-4');
    expect((await readObject(fixture, from)).equals(whole)).to.be.true;
  });

  for (const size of [SMALL, LARGE]) {
    it(`of an object of ${size} bytes whose ETag is no MD5 have one`, async () => {
      const from = await freshObject(fixture, 'from');
      const to = { ...from, object: 'to' };
      const bytes = patternBytes(size);
      const seal = (): { etag: string } => ({ etag: 'sealed-3' });
      await fixture.backend.putObject(CONTEXT, from, inputOf(bytes, { seal }));
      const copied = await fixture.backend.copyObject(CONTEXT, from, to, {});
      expect(createdBy(copied).etag).to.equal(md5Of(bytes));
      expect((await readObject(fixture, to)).equals(bytes)).to.be.true;
    });

    it(`of ${size} bytes say which large object they replace`, async () => {
      const from = await freshObject(fixture, 'from');
      const to = { ...from, object: 'to' };
      const { segments } = await putSegments(fixture, await companionOf(fixture, to), [SMALL]);
      await fixture.backend.putObject(CONTEXT, from, inputOf(patternBytes(size)));
      const systemMetadata = { 's3api-upload-id': 'u' };
      await fixture.backend.putManifest(CONTEXT, to, manifestOf(segments, { systemMetadata }));
      const copied = createdBy(await fixture.backend.copyObject(CONTEXT, from, to, {}));
      const replaced = { size: SMALL, etag: 'whole-1', systemMetadata };
      expect(copied.replacedManifest).to.deep.equal(replaced);
    });
  }
}
