import { expect } from 'chai';
import type { LinkInput, ListedObject, ObjectHead, ObjectRef } from '../../src/backend/backend.js';
import {
  bytesOf,
  CONTEXT,
  createdBy,
  DESCRIBED,
  expectUsage,
  failure,
  type Fixture,
  freshContainer,
  freshObject,
  inputOf,
  LARGE,
  patternBytes,
  readObject,
  SMALL,
  needsCapability,
} from './fixture.js';
import { freshLargeObject } from './segments.js';

/** A link's attributes may differ from its target's: so tests see whose they read. */
export const OWN = {
  size: 77,
  etag: 'of-the-link',
  contentType: 'application/link',
  listingAttributes: { generation: '7' },
  systemMetadata: { generation: 'seven' },
};

export function linkTo({ container, object }: ObjectRef, more: Partial<LinkInput> = {}): LinkInput {
  return { ...OWN, target: { container, object }, ...more };
}

export function describeLinks(fixture: Fixture): void {
  describe('links', () => {
    describeFollowing(fixture);
    describeListedLinks(fixture);
    describeBrokenLinks(fixture);
    describeLinkWrites(fixture);
    describeLinkedCopies(fixture);
  });
}

/** A link, and what it leads to, in containers of their own. */
async function freshLink(
  fixture: Fixture,
  body: Buffer | string = 'body',
): Promise<{ ref: ObjectRef; target: ObjectRef; lastModified: number }> {
  const target = await freshObject(fixture, 'target/of it');
  await fixture.backend.putObject(CONTEXT, target, inputOf(body, DESCRIBED));
  const ref = await freshObject(fixture, 'link');
  const put = createdBy(await fixture.backend.putLink(CONTEXT, ref, linkTo(target)));
  expect(put.etag).to.equal(OWN.etag);
  return { ref, target, lastModified: put.lastModified };
}

function describeFollowing(fixture: Fixture): void {
  for (const size of [0, SMALL, LARGE]) {
    it(`are read as the object of ${size} bytes that they lead to`, async () => {
      const { backend } = fixture;
      const bytes = patternBytes(size);
      const { ref, target, lastModified } = await freshLink(fixture, bytes);
      const there = await backend.headObject(CONTEXT, target);
      expect(there).to.not.have.property('link');
      const link = {
        target: { container: target.container, object: target.object },
        etag: OWN.etag,
        lastModified,
        systemMetadata: OWN.systemMetadata,
      };
      const result = await backend.getObject(CONTEXT, ref);
      expect(result.head).to.deep.equal({ ...there, link });
      expect((await bytesOf(result)).equals(bytes)).to.be.true;
      expect(await backend.headObject(CONTEXT, ref)).to.deep.equal(result.head);
      expect(await backend.getSegments(CONTEXT, ref)).to.equal(undefined);
      const part = await readObject(fixture, ref, { first: 3, last: 5 });
      expect(part.equals(bytes.subarray(3, 6))).to.be.true;
    });
  }

  it('lead to large objects too', async () => {
    const { backend } = fixture;
    const large = await freshLargeObject(fixture);
    const ref = await freshObject(fixture, 'link');
    createdBy(await backend.putLink(CONTEXT, ref, linkTo(large.ref)));
    const head = await backend.headObject(CONTEXT, ref);
    expect(head).to.include({ etag: 'whole-4', segmentCount: 4 });
    expect((await readObject(fixture, ref)).equals(large.whole)).to.be.true;
    expect(await backend.getSegments(CONTEXT, ref)).to.deep.equal(large.segments);
  });

  it('show what becomes of their target', async () => {
    const { backend } = fixture;
    const { ref, target } = await freshLink(fixture, 'first');
    await backend.putObject(CONTEXT, target, inputOf('second'));
    await backend.updateObject(CONTEXT, target, { metadata: { a: 'b' } });
    const result = await backend.getObject(CONTEXT, ref);
    expect((await bytesOf(result)).toString()).to.equal('second');
    expect(result.head.metadata).to.deep.equal({ a: 'b' });
    expect(result.head.link?.etag).to.equal(OWN.etag);
  });

  it('are read as one of their targets, whole, while they are written', async () => {
    const { backend } = fixture;
    const { ref, target } = await freshLink(fixture, patternBytes(LARGE, 0));
    for (let version = 1; version <= 10; version++) {
      const next = { ...target, object: `target/${version}` };
      await backend.putObject(CONTEXT, next, inputOf(patternBytes(LARGE, version)));
      const input = linkTo(next, { etag: String(version) });
      const [result] = await Promise.all([
        backend.getObject(CONTEXT, ref),
        backend.putLink(CONTEXT, ref, input),
      ]);
      const { link } = result.head;
      const seen = link?.etag === String(version) ? version : version - 1;
      const expected = seen === 0 ? target.object : `target/${seen}`;
      expect(link?.target.object).to.equal(expected);
      expect((await bytesOf(result)).equals(patternBytes(LARGE, seen))).to.be.true;
    }
  });
}

function describeListedLinks(fixture: Fixture): void {
  it('are listed as they were written, and take no room', async () => {
    const { backend } = fixture;
    const { ref, target, lastModified } = await freshLink(fixture, 'body');
    const { systemMetadata, listingAttributes: attributes, ...shown } = OWN;
    expect(await listedIn(fixture, ref)).to.deep.equal([
      { name: 'link', ...shown, lastModified, attributes },
    ]);
    await expectUsage(fixture, ref, 1, 0);
    await backend.putObject(CONTEXT, ref, inputOf('12345'));
    await expectUsage(fixture, ref, 1, 5);
    await backend.putLink(CONTEXT, ref, linkTo(target, { systemMetadata }));
    await expectUsage(fixture, ref, 1, 0);
    await backend.deleteObject(CONTEXT, ref);
    await expectUsage(fixture, ref, 0, 0);
    expect((await readObject(fixture, target)).toString()).to.equal('body');
    await backend.deleteContainer(CONTEXT, ref);
  });
}

export async function listedIn({ backend }: Fixture, ref: ObjectRef): Promise<ListedObject[]> {
  const { entries } = await backend.listObjects(CONTEXT, ref, { limit: 10 });
  return entries.flatMap((entry) => (entry.kind === 'object' ? [entry.object] : []));
}

function describeBrokenLinks(fixture: Fixture): void {
  it('are described themselves when a caller asks, with and without their target', async () => {
    const { backend } = fixture;
    const { ref, target, lastModified } = await freshLink(fixture);
    const itself = { linkItself: true };
    const head = await backend.headObject(CONTEXT, ref, itself);
    const { etag, systemMetadata } = OWN;
    expect(head.link).to.deep.equal({
      target: { container: target.container, object: target.object },
      etag,
      lastModified,
      systemMetadata,
    });
    expect(head).to.include({ etag, lastModified, contentType: OWN.contentType });
    await backend.deleteObject(CONTEXT, target);
    expect(await backend.headObject(CONTEXT, ref, itself)).to.deep.equal(head);
    await failure('NoSuchObject', backend.headObject(CONTEXT, target, itself));
  });

  async function expectBroken(ref: ObjectRef): Promise<void> {
    const { backend } = fixture;
    const to = await freshObject(fixture, 'to');
    await failure('BrokenLink', backend.getObject(CONTEXT, ref));
    await failure('BrokenLink', backend.headObject(CONTEXT, ref));
    await failure('BrokenLink', backend.getSegments(CONTEXT, ref));
    await failure('BrokenLink', backend.copyObject(CONTEXT, ref, to, {}));
  }

  it('are BrokenLink without their target, or its container', async () => {
    const { backend } = fixture;
    const { ref, target } = await freshLink(fixture);
    await backend.deleteObject(CONTEXT, target);
    await expectBroken(ref);
    await backend.deleteContainer(CONTEXT, target);
    await expectBroken(ref);
    expect(await listedIn(fixture, ref)).to.have.length(1);
    expect(await backend.deleteObject(CONTEXT, ref)).to.deep.equal({ outcome: 'deleted' });
  });

  it('lead to no other link', async () => {
    const { backend } = fixture;
    const { ref, target } = await freshLink(fixture);
    const second = await freshObject(fixture, 'second');
    await backend.putLink(CONTEXT, second, linkTo(ref));
    await expectBroken(second);
    await backend.putLink(CONTEXT, second, linkTo(target));
    expect((await readObject(fixture, second)).toString()).to.equal('body');
  });

  it('that lead to themselves are refused, or lead to nothing', async () => {
    const { backend } = fixture;
    const { ref } = await freshLink(fixture);
    try {
      await backend.putLink(CONTEXT, ref, linkTo(ref));
    } catch (error) {
      expect(error).to.include({ code: 'Unsupported' });
      expect((await readObject(fixture, ref)).toString()).to.equal('body');
      return;
    }
    await expectBroken(ref);
  });

  it('heal when their target comes', async () => {
    const target = await freshObject(fixture, 'target');
    const ref = await freshObject(fixture, 'link');
    await fixture.backend.putLink(CONTEXT, ref, linkTo(target));
    await expectBroken(ref);
    await fixture.backend.putObject(CONTEXT, target, inputOf('late'));
    expect((await readObject(fixture, ref)).toString()).to.equal('late');
  });
}

function describeLinkWrites(fixture: Fixture): void {
  it('need their container', async () => {
    const target = await freshObject(fixture);
    const ref = { ...target, container: 'nowhere' };
    await failure('NoSuchContainer', fixture.backend.putLink(CONTEXT, ref, linkTo(target)));
  });

  it('keep to their preconditions', async function () {
    const { backend } = fixture;
    needsCapability(this, fixture, 'atomicCreate', 'conditionalReplace');
    const refused = { outcome: 'precondition_failed' };
    const { ref, target } = await freshLink(fixture);
    const again = linkTo(target, { etag: 'second' });
    const put = (condition: Parameters<typeof backend.putLink>[3]): Promise<unknown> =>
      backend.putLink(CONTEXT, ref, again, condition);
    expect(await put({ absent: true })).to.deep.equal(refused);
    const { etag } = await backend.headObject(CONTEXT, target);
    expect(await put({ etag })).to.deep.equal(refused);
    expect(await put({ etag: OWN.etag })).to.include({ outcome: 'created', etag: 'second' });
    expect(await put({ etag: OWN.etag })).to.deep.equal(refused);
    const removed = await backend.deleteObject(CONTEXT, ref, { etag });
    expect(removed).to.deep.equal(refused);
    await backend.deleteObject(CONTEXT, ref, { etag: 'second' });
    expect(await put({ absent: true })).to.include({ outcome: 'created' });
  });

  it('are written over and updated themselves, and their target is not', async () => {
    const { backend } = fixture;
    const { ref, target, lastModified } = await freshLink(fixture);
    const before = await backend.headObject(CONTEXT, target);
    const systemMetadata = { generation: null, other: 'x' };
    await backend.updateObject(CONTEXT, ref, { systemMetadata, contentType: 'a/b' });
    const { link, ...rest }: ObjectHead = await backend.headObject(CONTEXT, ref);
    expect(rest).to.deep.equal(before);
    const followed = { etag: OWN.etag, lastModified, systemMetadata: { other: 'x' } };
    expect(link).to.deep.include(followed);
    const [entry] = await listedIn(fixture, ref);
    expect(entry).to.include({ contentType: 'a/b', size: OWN.size });
    expect(entry?.attributes).to.deep.equal(OWN.listingAttributes);
    await backend.putObject(CONTEXT, ref, inputOf('no link'));
    expect(await backend.headObject(CONTEXT, ref)).to.not.have.property('link');
    expect(await backend.headObject(CONTEXT, target)).to.deep.equal(before);
  });

  it('say which large object they replace', async () => {
    const { backend } = fixture;
    const systemMetadata = { 's3api-upload-id': 'u' };
    const { ref, whole } = await freshLargeObject(fixture, { systemMetadata });
    const target = await freshObject(fixture);
    const put = createdBy(await backend.putLink(CONTEXT, ref, linkTo(target)));
    const replacedManifest = { size: whole.length, etag: 'whole-4', systemMetadata };
    expect(put.replacedManifest).to.deep.equal(replacedManifest);
    const other = await freshLargeObject(fixture);
    await backend.putLink(CONTEXT, ref, linkTo(other.ref));
    expect(await backend.deleteObject(CONTEXT, ref)).to.deep.equal({ outcome: 'deleted' });
    expect((await readObject(fixture, other.ref)).equals(other.whole)).to.be.true;
  });

  it('are no segments', async () => {
    const { backend } = fixture;
    const { ref, target } = await freshLink(fixture);
    const { size, etag } = await backend.headObject(CONTEXT, target);
    const large = { ...(await freshContainer(fixture)), object: 'large' };
    for (const named of [OWN, { size, etag }]) {
      const { container, object } = ref;
      const segments = [{ container, object, size: named.size, etag: named.etag }];
      const input = { segments, etag: 'whole', contentType: 'a/b' };
      await failure('SegmentMismatch', backend.putManifest(CONTEXT, large, input));
    }
  });
}

function describeLinkedCopies(fixture: Fixture): void {
  for (const size of [0, SMALL, LARGE]) {
    it(`are copied as the object of ${size} bytes that they lead to`, async () => {
      const { backend } = fixture;
      const bytes = patternBytes(size, 5);
      const { ref, target } = await freshLink(fixture, bytes);
      const to = await freshObject(fixture, 'to');
      const other = await backend.copyObject(CONTEXT, ref, to, { sourceEtag: OWN.etag });
      expect(other).to.deep.equal({ outcome: 'source_changed' });
      const { etag } = await backend.headObject(CONTEXT, target);
      const copied = createdBy(await backend.copyObject(CONTEXT, ref, to, { sourceEtag: etag }));
      const result = await backend.getObject(CONTEXT, to);
      const { lastModified } = copied;
      expect(result.head).to.deep.equal({ ...DESCRIBED, size, etag, lastModified });
      expect((await bytesOf(result)).equals(bytes)).to.be.true;
    });

    it(`become the object of ${size} bytes when copied onto themselves`, async () => {
      const { backend } = fixture;
      const bytes = patternBytes(size, 6);
      const { ref, target } = await freshLink(fixture, bytes);
      createdBy(await backend.copyObject(CONTEXT, ref, ref, { metadata: { own: 'yes' } }));
      const head = await backend.headObject(CONTEXT, ref);
      expect(head).to.not.have.property('link');
      expect(head.metadata).to.deep.equal({ own: 'yes' });
      expect((await readObject(fixture, ref)).equals(bytes)).to.be.true;
      expect((await backend.headObject(CONTEXT, target)).metadata).to.deep.equal(
        DESCRIBED.metadata,
      );
      await backend.putLink(CONTEXT, ref, linkTo(target));
      createdBy(await backend.copyObject(CONTEXT, ref, target, { metadata: { new: 'x' } }));
      expect((await backend.headObject(CONTEXT, ref)).metadata).to.deep.equal({ new: 'x' });
    });
  }
}
