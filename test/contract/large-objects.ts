import { expect } from 'chai';
import fc from 'fast-check';
import type { ObjectRef, Segment } from '../../src/backend/backend.js';
import { failureOf } from '../support/failure.js';
import {
  bytesOf,
  CONTEXT,
  createdBy,
  expectUsage,
  failure,
  type Fixture,
  freshContainer,
  freshObject,
  inputOf,
  LARGE,
  listed,
  patternBytes,
  readObject,
  SMALL,
} from './fixture.js';
import { freshLargeObject, manifestOf, putSegments } from './segments.js';

export function describeLargeObjects(fixture: Fixture): void {
  describe('large objects', () => {
    describeWhole(fixture);
    describeReads(fixture);
  });
}

function describeWhole(fixture: Fixture): void {
  it('read as their segments, one after the other', async () => {
    const described = {
      headers: { 'cache-control': 'no-store' },
      metadata: { title: 'grüße' },
      systemMetadata: { 's3api-upload-id': 'upload-1' },
    };
    const { ref, segments, whole } = await freshLargeObject(fixture, described);
    const result = await fixture.backend.getObject(CONTEXT, ref);
    expect((await bytesOf(result)).equals(whole)).to.be.true;
    const head = await fixture.backend.headObject(CONTEXT, ref);
    expect(result.head).to.deep.equal(head);
    const { lastModified, ...rest } = head;
    expect(lastModified).to.be.closeTo(Date.now(), 60_000);
    const large = { etag: 'whole-4', contentType: 'application/large', segmentCount: 4 };
    expect(rest).to.deep.equal({ size: whole.length, ...large, ...described });
    expect(await fixture.backend.getSegments(CONTEXT, ref)).to.deep.equal(segments);
  });

  it('are listed with their whole size, and count only as their segments do', async () => {
    const listingAttributes = { class: 'COLD' };
    const { ref, segments, whole } = await freshLargeObject(fixture, { listingAttributes });
    expect(await listed(fixture, ref)).to.deep.include({
      ...{ name: 'large', size: whole.length, etag: 'whole-4', contentType: 'application/large' },
      attributes: listingAttributes,
    });
    await expectUsage(fixture, ref, 1, 0);
    const parts = { account: ref.account, container: segments[0]?.container ?? '' };
    const used = await fixture.backend.headContainer(CONTEXT, parts);
    expect(used).to.include({ objectCount: 4, bytesUsed: whole.length });
  });

  it('take the place of an ordinary object, and give it back', async () => {
    const ref = await freshObject(fixture, 'o');
    const { backend } = fixture;
    const { segments, whole } = await putSegments(fixture, ref, [SMALL, LARGE]);
    await backend.putObject(CONTEXT, ref, inputOf(patternBytes(LARGE, 5)));
    await backend.putManifest(CONTEXT, ref, manifestOf(segments));
    expect((await readObject(fixture, ref)).equals(whole)).to.be.true;
    await expectUsage(fixture, ref, 3, whole.length);
    await backend.putObject(CONTEXT, ref, inputOf('small'));
    expect((await readObject(fixture, ref)).toString()).to.equal('small');
    expect(await backend.headObject(CONTEXT, ref)).not.to.have.property('segmentCount');
    expect(await backend.getSegments(CONTEXT, ref)).to.equal(undefined);
    const { bytesUsed } = await backend.headContainer(CONTEXT, ref);
    expect(bytesUsed).to.equal(whole.length + 5);
  });

  it('change their metadata in place', async () => {
    const { ref, segments, whole } = await freshLargeObject(fixture);
    const before = await fixture.backend.headObject(CONTEXT, ref);
    const update = { metadata: { a: 'b' }, systemMetadata: { acl: '{}' } };
    await fixture.backend.updateObject(CONTEXT, ref, update);
    const after = await fixture.backend.headObject(CONTEXT, ref);
    expect(after).to.deep.equal({ ...before, ...update });
    expect(await fixture.backend.getSegments(CONTEXT, ref)).to.deep.equal(segments);
    expect((await readObject(fixture, ref)).equals(whole)).to.be.true;
  });

  it('may have a segment twice, in containers and under names of any kind', async () => {
    const ref = await freshObject(fixture, 'o');
    const [one, two] = [await freshContainer(fixture), await freshContainer(fixture)];
    const segments: Segment[] = [];
    for (const [container, object] of [
      [one, '😀'],
      [two, '😁'],
      [one, '😂/🤣'],
    ] as const) {
      const input = inputOf(object);
      const put = await fixture.backend.putObject(CONTEXT, { ...container, object }, input);
      const { etag } = createdBy(put);
      segments.push({ container: container.container, object, size: input.size, etag });
    }
    segments.push(...segments);
    await fixture.backend.putManifest(CONTEXT, ref, manifestOf(segments));
    expect((await readObject(fixture, ref)).toString()).to.equal('😀😁😂/🤣😀😁😂/🤣');
    expect(await fixture.backend.getSegments(CONTEXT, ref)).to.deep.equal(segments);
  });

  it('of no bytes are empty', async () => {
    const ref = await freshObject(fixture, 'o');
    const { segments } = await putSegments(fixture, ref, [0, 0]);
    await fixture.backend.putManifest(CONTEXT, ref, manifestOf(segments));
    expect(await readObject(fixture, ref)).to.have.length(0);
    const { range } = await fixture.backend.getObject(CONTEXT, ref, { first: 0 });
    expect(range).to.equal('unsatisfiable');
  });
}

function describeReads(fixture: Fixture): void {
  it('give any range, whatever their segments', async () => {
    const container = await freshContainer(fixture);
    const ref = { ...container, object: 'large' };
    const size = fc.oneof(
      { weight: 8, arbitrary: fc.nat({ max: 20 }) },
      { weight: 1, arbitrary: fc.integer({ min: 65_530, max: 65_545 }) },
    );
    const position = fc.nat({ max: 2 ** 20 });
    const property = fc.asyncProperty(
      fc.array(size, { minLength: 1, maxLength: 8 }),
      fc.array(fc.tuple(position, position), { maxLength: 6 }),
      async (sizes, pairs) => {
        const { segments, whole } = await putSegments(fixture, container, sizes);
        await fixture.backend.putManifest(CONTEXT, ref, manifestOf(segments));
        expect((await readObject(fixture, ref)).equals(whole)).to.be.true;
        if (whole.length === 0) return;
        for (const pair of pairs) {
          const [first, last] = pair.map((each) => each % whole.length).sort((a, b) => a - b);
          const bytes = await readObject(fixture, ref, { first: first ?? 0, last });
          expect(bytes.equals(whole.subarray(first, (last ?? 0) + 1))).to.be.true;
        }
        const suffix = 1 + ((pairs[0]?.[0] ?? 0) % whole.length);
        const end = await readObject(fixture, ref, { suffix });
        expect(end.equals(whole.subarray(whole.length - suffix))).to.be.true;
      },
    );
    await fc.assert(property, { numRuns: fixture.options.largeObjectRuns ?? 40 });
  });

  it('can be left at any chunk', async () => {
    const { ref, whole } = await freshLargeObject(fixture);
    for (let leave = 0; leave < 5; leave++) {
      const { body } = await fixture.backend.getObject(CONTEXT, ref);
      if (Buffer.isBuffer(body.source)) throw new Error('a large object was given as one buffer');
      let [at, seen] = [0, 0];
      for await (const chunk of body.source) {
        expect(chunk.equals(whole.subarray(at, (at += chunk.length)))).to.be.true;
        if (seen++ === leave) break;
      }
    }
    (await fixture.backend.getObject(CONTEXT, ref)).body.cancel();
  });

  const removals: readonly [string, (ref: ObjectRef) => Promise<unknown>][] = [
    ['gone', (ref) => fixture.backend.deleteObject(CONTEXT, ref)],
    ['another one', (ref) => fixture.backend.putObject(CONTEXT, ref, inputOf('1234567'))],
    ['of another size', (ref) => fixture.backend.putObject(CONTEXT, ref, inputOf(''))],
  ];
  for (const [what, remove] of removals) {
    it(`are cut, never wrong, where a segment is ${what}`, async () => {
      const { ref, segments, whole } = await freshLargeObject(fixture);
      const last = { account: ref.account, ...segments[3]! };
      await remove(last);
      const { body } = await fixture.backend.getObject(CONTEXT, ref);
      const received: Buffer[] = [];
      const error = await failureOf(collect(body.source as AsyncIterable<Buffer>, received));
      expect(error).to.have.property('code', fixture.options.cutCode ?? 'Corrupt');
      expect(Buffer.concat(received).equals(whole.subarray(0, -7))).to.be.true;
      const before = { first: 3, last: whole.length - 8 };
      expect((await readObject(fixture, ref, before)).length).to.equal(whole.length - 10);
    });
  }

  it('fail before the first byte when the first segment is gone', async () => {
    const { ref, segments } = await freshLargeObject(fixture);
    await fixture.backend.deleteObject(CONTEXT, { account: ref.account, ...segments[0]! });
    await failure('Corrupt', fixture.backend.getObject(CONTEXT, ref));
    expect(await readObject(fixture, ref, { suffix: 3 })).to.have.length(3);
  });

  it('say when they were replaced and cleared away under a reader', async () => {
    const { ref, segments } = await freshLargeObject(fixture);
    const { body } = await fixture.backend.getObject(CONTEXT, ref);
    await fixture.backend.putObject(CONTEXT, ref, inputOf('new'));
    for (const segment of segments) {
      await fixture.backend.deleteObject(CONTEXT, { account: ref.account, ...segment });
    }
    await failure('Unavailable', collect(body.source as AsyncIterable<Buffer>, []));
  });
}

async function collect(source: AsyncIterable<Buffer>, received: Buffer[]): Promise<void> {
  for await (const chunk of source) received.push(Buffer.from(chunk));
}
