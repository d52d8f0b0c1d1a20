import { expect } from 'chai';
import type { ContainerRef, Segment } from '../../src/backend/backend.js';
import {
  CONTEXT,
  createdBy,
  expectUsage,
  failure,
  type Fixture,
  freshContainer,
  freshObject,
  inputOf,
  LARGE,
  onlyWinner,
  patternBytes,
  readObject,
  SMALL,
  needsCapability,
} from './fixture.js';
import { freshLargeObject, manifestOf, putSegments } from './segments.js';

const SYSTEM_METADATA = { 's3api-upload-id': 'upload-1' };

export function describeLargeObjectWrites(fixture: Fixture): void {
  describe('large objects, written and removed,', () => {
    describeChecks(fixture);
    describeRemovals(fixture);
    describePreconditions(fixture);
  });
}

function describeChecks(fixture: Fixture): void {
  const wrong: readonly [string, (good: Segment) => Segment][] = [
    ['is missing', (good) => ({ ...good, object: 'missing' })],
    ['has another size', (good) => ({ ...good, size: good.size + 1 })],
    ['has another ETag', (good) => ({ ...good, etag: 'f'.repeat(32) })],
    ['has an ETag that is no MD5', (good) => ({ ...good, etag: good.etag.slice(1) })],
    ['is in a container that is missing', (good) => ({ ...good, container: 'nowhere' })],
    ['is the object itself', (good) => ({ ...good, object: 'large' })],
    ['is a large object', (good) => ({ ...good, object: 'nested', etag: 'whole-1' })],
  ];
  for (const [what, change] of wrong) {
    it(`are not made of a segment that ${what}`, async () => {
      const container = await freshContainer(fixture);
      const ref = { ...container, object: 'large' };
      const { segments } = await putSegments(fixture, container, [SMALL, SMALL, SMALL]);
      const good = segments[1]!;
      const nested = { ...container, object: 'nested' };
      await fixture.backend.putManifest(CONTEXT, nested, manifestOf([good]));
      await fixture.backend.putObject(CONTEXT, ref, inputOf(patternBytes(SMALL, 1)));
      const input = manifestOf([segments[0]!, change(good), segments[2]!]);
      await failure('SegmentMismatch', fixture.backend.putManifest(CONTEXT, ref, input));
      expect((await readObject(fixture, ref)).equals(patternBytes(SMALL, 1))).to.be.true;
      await expectUsage(fixture, ref, 5, 4 * SMALL);
    });
  }

  it('have a first segment, and no more than the announced number', async () => {
    const ref = await freshObject(fixture, 'large');
    const { segments } = await putSegments(fixture, ref, [1]);
    const max = fixture.backend.capabilities.segmentsMax;
    const tooMany = Array.from({ length: max + 1 }, () => segments[0]!);
    for (const list of [[], tooMany]) {
      const put = fixture.backend.putManifest(CONTEXT, ref, manifestOf(list));
      await failure('Unsupported', put);
    }
    await failure('NoSuchObject', fixture.backend.headObject(CONTEXT, ref));
  });

  it('need a container, and an object to be asked for their segments', async () => {
    const ref = await freshObject(fixture, 'large');
    const { segments } = await putSegments(fixture, ref, [1]);
    const nowhere = { ...ref, container: 'nowhere' };
    const { backend } = fixture;
    const put = backend.putManifest(CONTEXT, nowhere, manifestOf(segments));
    await failure('NoSuchContainer', put);
    await failure('NoSuchContainer', backend.getSegments(CONTEXT, nowhere));
    await failure('NoSuchObject', backend.getSegments(CONTEXT, ref));
  });

  it('are whole or refused when a segment goes at the same time', async () => {
    const container = await freshContainer(fixture);
    for (let round = 0; round < 20; round++) {
      const ref = { ...container, object: `large-${round}` };
      const { segments } = await putSegments(fixture, container, [SMALL, SMALL]);
      const goes = { account: ref.account, ...segments[round % 2]! };
      const [put, removed] = await Promise.allSettled([
        fixture.backend.putManifest(CONTEXT, ref, manifestOf(segments)),
        fixture.backend.deleteObject(CONTEXT, goes),
      ]);
      expect(removed.status).to.equal('fulfilled');
      if (put.status === 'rejected') expect(put.reason).to.include({ code: 'SegmentMismatch' });
      const again = fixture.backend.putManifest(CONTEXT, ref, manifestOf(segments));
      await failure('SegmentMismatch', again);
    }
  });
}

function describeRemovals(fixture: Fixture): void {
  async function expectSegmentsLeft(
    ref: ContainerRef,
    segments: readonly Segment[],
  ): Promise<void> {
    for (const { container, object, size } of segments) {
      const segment = { account: ref.account, container, object };
      const head = await fixture.backend.headObject(CONTEXT, segment);
      expect(head.size).to.equal(size);
    }
  }

  it('leave their segments when they are deleted, and say what they were', async () => {
    const systemMetadata = SYSTEM_METADATA;
    const { ref, segments, whole } = await freshLargeObject(fixture, { systemMetadata });
    const removedManifest = { size: whole.length, etag: 'whole-4', systemMetadata };
    const outcome = await fixture.backend.deleteObject(CONTEXT, ref);
    expect(outcome).to.deep.equal({ outcome: 'deleted', removedManifest });
    await expectSegmentsLeft(ref, segments);
    expect(await fixture.backend.headContainer(CONTEXT, ref)).to.include({ objectCount: 0 });
    await fixture.backend.deleteContainer(CONTEXT, ref);
  });

  it('leave their segments when they are replaced, and say what they were', async () => {
    const systemMetadata = SYSTEM_METADATA;
    const { ref, segments, whole } = await freshLargeObject(fixture, { systemMetadata });
    const next = { 's3api-upload-id': 'upload-2' };
    const { backend } = fixture;
    const shorter = manifestOf(segments.slice(2), { systemMetadata: next });
    const again = createdBy(await backend.putManifest(CONTEXT, ref, shorter));
    const replacedManifest = { size: whole.length, etag: 'whole-4', systemMetadata };
    expect(again.replacedManifest).to.deep.equal(replacedManifest);
    for (const size of [SMALL, LARGE]) {
      const over = await backend.putObject(CONTEXT, ref, inputOf(patternBytes(size)));
      expect(createdBy(over).replacedManifest?.systemMetadata).to.deep.equal(next);
      await expectSegmentsLeft(ref, segments);
      const input = manifestOf(segments, { systemMetadata: next });
      const plain = await backend.putManifest(CONTEXT, ref, input);
      expect(plain).not.to.have.property('replacedManifest');
    }
  });

  it('are not spoken of where there was none', async () => {
    const ref = await freshObject(fixture);
    for (const size of [SMALL, LARGE]) {
      const input = inputOf(patternBytes(size), { systemMetadata: SYSTEM_METADATA });
      for (let times = 0; times < 2; times++) {
        const put = await fixture.backend.putObject(CONTEXT, ref, input);
        expect(put).not.to.have.property('replacedManifest');
      }
    }
    const removed = await fixture.backend.deleteObject(CONTEXT, ref);
    expect(removed).to.deep.equal({ outcome: 'deleted' });
  });
}

function describePreconditions(fixture: Fixture): void {
  it('let exactly one of racing creators win', async function () {
    needsCapability(this, fixture, 'atomicCreate');
    const ref = await freshObject(fixture, 'large');
    const { segments } = await putSegments(fixture, ref, [1, 2, 3, 4, 5, 6]);
    const outcomes = await Promise.all(
      segments.map((segment) =>
        fixture.backend.putManifest(CONTEXT, ref, manifestOf([segment]), { absent: true }),
      ),
    );
    const winner = onlyWinner(outcomes);
    const { size } = await fixture.backend.headObject(CONTEXT, ref);
    expect(size).to.equal(segments[winner]?.size);
  });

  it('replace only what has the ETag, and are replaced and deleted by theirs', async function () {
    needsCapability(this, fixture, 'conditionalReplace');
    const { ref, segments } = await freshLargeObject(fixture);
    const { backend } = fixture;
    const input = manifestOf(segments, { etag: 'next-4' });
    const wrong = await backend.putManifest(CONTEXT, ref, input, { etag: 'other' });
    expect(wrong).to.deep.equal({ outcome: 'precondition_failed' });
    const right = await backend.putManifest(CONTEXT, ref, input, { etag: 'whole-4' });
    expect(right).to.include({ outcome: 'created', etag: 'next-4' });
    const late = await backend.deleteObject(CONTEXT, ref, { etag: 'whole-4' });
    expect(late).to.deep.equal({ outcome: 'precondition_failed' });
    const removed = await backend.deleteObject(CONTEXT, ref, { etag: 'next-4' });
    expect(removed.outcome).to.equal('deleted');
  });
}
