import { expect } from 'chai';
import type { BodyInput, ObjectRef, UpdatePrecondition } from '../../src/backend/backend.js';
import { failureOf } from '../support/failure.js';
import {
  CONTEXT,
  createdBy,
  failure,
  type Fixture,
  freshContainer,
  freshObject,
  inputOf,
  LARGE,
  listed,
  patternBytes,
  readObject,
  reusedChunks,
  SMALL,
  needsCapability,
} from './fixture.js';
import { linkTo } from './links.js';
import { freshLargeObject } from './segments.js';
import { skipBecause } from '../support/skip.js';

const DESCRIBED = {
  metadata: { title: 'kept' },
  headers: { 'cache-control': 'no-store' },
  systemMetadata: { tags: 'a=1', state: 'one' },
  listingAttributes: { class: 'WARM', other: 'kept' },
};

const ABSENT: BodyInput = { kind: 'absent' };

export function describeUpdates(fixture: Fixture): void {
  describe('updates', () => {
    describeConditions(fixture);
    describe('of bodies', () => {
      beforeEach(function () {
        needsCapability(this, fixture, 'bodyUpdates');
      });
      describeAbsentBodies(fixture);
      describeReturnedBodies(fixture);
      describeRefusedBodies(fixture);
    });
    it('of bodies are refused where there are none', async function () {
      if (fixture.backend.capabilities.bodyUpdates) {
        skipBecause(this, 'a store without bodyUpdates');
      }
      const ref = await freshObject(fixture);
      await fixture.backend.putObject(CONTEXT, ref, inputOf('x'));
      const precondition = await conditionOf(fixture, ref);
      const update = { body: ABSENT };
      await failure('Unsupported', fixture.backend.updateBody(CONTEXT, ref, update, precondition));
    });
  });
}

async function conditionOf({ backend }: Fixture, ref: ObjectRef): Promise<UpdatePrecondition> {
  const { etag, lastModified } = await backend.headObject(CONTEXT, ref);
  return { etag, lastModified };
}

/** An object, and what it takes to let go of its body. */
async function freshAbsent(fixture: Fixture, bytes: Buffer) {
  const ref = await freshObject(fixture);
  await fixture.backend.putObject(CONTEXT, ref, inputOf(bytes, DESCRIBED));
  const before = await fixture.backend.headObject(CONTEXT, ref);
  const entry = await listed(fixture, ref);
  const precondition = await conditionOf(fixture, ref);
  const update = { body: ABSENT, systemMetadata: { state: 'two' } };
  const updated = await fixture.backend.updateBody(CONTEXT, ref, update, precondition);
  expect(updated).to.deep.equal({ outcome: 'updated' });
  return { ref, before, entry, precondition };
}

function describeConditions(fixture: Fixture): void {
  it('change what a listing shows, and nothing else of it', async function () {
    needsCapability(this, fixture, 'listingUpdates');
    const ref = await freshObject(fixture);
    await fixture.backend.putObject(CONTEXT, ref, inputOf('x', DESCRIBED));
    const before = await listed(fixture, ref);
    const update = { listingAttributes: { class: 'COLD', new: '1' } };
    await fixture.backend.updateObject(CONTEXT, ref, update);
    const attributes = { class: 'COLD', new: '1', other: 'kept' };
    expect(await listed(fixture, ref)).to.deep.equal({ ...before, attributes });
    await fixture.backend.updateObject(CONTEXT, ref, { listingAttributes: { class: null } });
    const left = { new: '1', other: 'kept' };
    expect(await listed(fixture, ref)).to.deep.equal({ ...before, attributes: left });
  });

  it('refuse to change what a listing shows where they cannot', async function () {
    if (fixture.backend.capabilities.listingUpdates) {
      skipBecause(this, 'a store without listingUpdates');
    }
    const ref = await freshObject(fixture);
    await fixture.backend.putObject(CONTEXT, ref, inputOf('x', DESCRIBED));
    const update = { listingAttributes: { class: 'COLD' }, metadata: { never: 'seen' } };
    await failure('Unsupported', fixture.backend.updateObject(CONTEXT, ref, update));
    const { metadata } = await fixture.backend.headObject(CONTEXT, ref);
    expect(metadata).to.deep.equal(DESCRIBED.metadata);
  });

  const conditions: readonly (readonly [string, Partial<UpdatePrecondition>, boolean])[] = [
    ['ETag and time', {}, true],
    ['another ETag', { etag: 'x' }, false],
    ['another time', { lastModified: 1 }, false],
    ['a value of system metadata', { systemMetadata: { state: 'one' } }, true],
    ['another value', { systemMetadata: { state: 'two' } }, false],
    ['a name that is not there', { systemMetadata: { missing: null, state: 'one' } }, true],
    ['a value where none is', { systemMetadata: { missing: 'x' } }, false],
    ['no value where one is', { systemMetadata: { state: null } }, false],
    ['a name of every object', { systemMetadata: { constructor: null } }, true],
  ];
  for (const [what, change, holds] of conditions) {
    it(`${holds ? 'happen' : 'do not happen'} on the condition of ${what}`, async () => {
      const ref = await freshObject(fixture);
      await fixture.backend.putObject(CONTEXT, ref, inputOf('x', DESCRIBED));
      const precondition = { ...(await conditionOf(fixture, ref)), ...change };
      const update = { systemMetadata: { state: 'new' } };
      const { outcome } = await fixture.backend.updateObject(CONTEXT, ref, update, precondition);
      expect(outcome).to.equal(holds ? 'updated' : 'precondition_failed');
      const { systemMetadata } = await fixture.backend.headObject(CONTEXT, ref);
      expect(systemMetadata.state).to.equal(holds ? 'new' : 'one');
    });
  }

  it('on one state of an object have one winner', async function () {
    needsCapability(this, fixture, 'conditionalReplace');
    const ref = await freshObject(fixture);
    await fixture.backend.putObject(CONTEXT, ref, inputOf('x', DESCRIBED));
    const state = { systemMetadata: { state: 'one' } };
    const precondition = { ...(await conditionOf(fixture, ref)), ...state };
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const update = { systemMetadata: { state: `by ${i}` } };
        return fixture.backend.updateObject(CONTEXT, ref, update, precondition);
      }),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'updated')).to.have.length(1);
  });
}

function describeAbsentBodies(fixture: Fixture): void {
  for (const size of [0, SMALL, LARGE]) {
    it(`let go of a body of ${size} bytes, and show the object as ever`, async () => {
      const { backend } = fixture;
      const { ref, before, entry } = await freshAbsent(fixture, patternBytes(size));
      const systemMetadata = { tags: 'a=1', state: 'two' };
      const after = await backend.headObject(CONTEXT, ref);
      expect(after).to.deep.equal({ ...before, systemMetadata, bodyAbsent: true });
      expect(await listed(fixture, ref)).to.deep.equal(entry);
      expect((await backend.headContainer(CONTEXT, ref)).bytesUsed).to.equal(0);
      await failure('BodyAbsent', backend.getObject(CONTEXT, ref));
      await failure('BodyAbsent', backend.getObject(CONTEXT, ref, { first: 0, last: 0 }));
      expect(await backend.getSegments(CONTEXT, ref)).to.equal(undefined);
    });
  }

  it('let go of a large object, whose segments stay', async () => {
    const { backend } = fixture;
    const { ref, segments } = await freshLargeObject(fixture);
    const precondition = await conditionOf(fixture, ref);
    await backend.updateBody(CONTEXT, ref, { body: ABSENT }, precondition);
    const head = await backend.headObject(CONTEXT, ref);
    expect(head).to.include({ bodyAbsent: true, etag: precondition.etag });
    expect(head).to.not.have.property('segmentCount');
    for (const { container, object } of segments) {
      await backend.headObject(CONTEXT, { account: ref.account, container, object });
    }
  });

  it('leave an object whose body is absent to be replaced and deleted', async () => {
    const { backend } = fixture;
    const { ref } = await freshAbsent(fixture, patternBytes(LARGE));
    const put = await backend.putObject(CONTEXT, ref, inputOf('new'));
    expect(put).to.include({ outcome: 'created' }).and.not.have.property('replacedManifest');
    expect((await readObject(fixture, ref)).toString()).to.equal('new');
    const precondition = await conditionOf(fixture, ref);
    await backend.updateBody(CONTEXT, ref, { body: ABSENT }, precondition);
    expect(await backend.deleteObject(CONTEXT, ref)).to.deep.equal({ outcome: 'deleted' });
    const { objectCount, bytesUsed } = await backend.headContainer(CONTEXT, ref);
    expect([objectCount, bytesUsed]).to.deep.equal([0, 0]);
  });

  it('copy an object without its body only when that is meant', async () => {
    const { backend } = fixture;
    const { ref, before } = await freshAbsent(fixture, patternBytes(LARGE));
    const to = await freshObject(fixture, 'copy');
    await failure('BodyAbsent', backend.copyObject(CONTEXT, ref, to, {}));
    await failure('NoSuchObject', backend.headObject(CONTEXT, to));
    const copied = createdBy(await backend.copyObject(CONTEXT, ref, to, { absentBody: true }));
    const head = await backend.headObject(CONTEXT, to);
    expect(head).to.deep.equal({
      ...before,
      systemMetadata: { tags: 'a=1', state: 'two' },
      lastModified: copied.lastModified,
      bodyAbsent: true,
    });
    expect((await backend.headContainer(CONTEXT, to)).bytesUsed).to.equal(0);
    const range = { start: 0, end: 1 };
    const part = backend.copyObject(CONTEXT, ref, to, { absentBody: true, range });
    await failure('BodyAbsent', part);
  });

  it('do not make an object without a body the segment of another', async () => {
    const { backend } = fixture;
    const { ref, before } = await freshAbsent(fixture, patternBytes(SMALL));
    const { container, object } = ref;
    const segments = [{ container, object, size: before.size, etag: before.etag }];
    const to = { ...ref, object: 'large' };
    const input = { segments, etag: 'whole', contentType: 'text/plain' };
    await failure('SegmentMismatch', backend.putManifest(CONTEXT, to, input));
  });
}

function describeReturnedBodies(fixture: Fixture): void {
  for (const size of [0, SMALL, LARGE]) {
    it(`bring back a body of ${size} bytes, and nothing else`, async () => {
      const { backend } = fixture;
      const bytes = patternBytes(size);
      const { ref, before, entry, precondition } = await freshAbsent(fixture, bytes);
      const source = size === SMALL ? bytes : reusedChunks(bytes, 50_000);
      const update = {
        body: { kind: 'bytes', source } as const,
        systemMetadata: { state: 'three' },
      };
      const condition = { ...precondition, systemMetadata: { state: 'two' } };
      await backend.updateBody(CONTEXT, ref, update, condition);
      const systemMetadata = { tags: 'a=1', state: 'three' };
      expect(await backend.headObject(CONTEXT, ref)).to.deep.equal({ ...before, systemMetadata });
      expect(await listed(fixture, ref)).to.deep.equal(entry);
      expect((await readObject(fixture, ref)).equals(bytes)).to.be.true;
      expect((await backend.headContainer(CONTEXT, ref)).bytesUsed).to.equal(size);
    });
  }

  it('bring back a large object', async () => {
    const { backend } = fixture;
    const { ref, segments, whole } = await freshLargeObject(fixture);
    const before = await backend.headObject(CONTEXT, ref);
    const precondition = await conditionOf(fixture, ref);
    await backend.updateBody(CONTEXT, ref, { body: ABSENT }, precondition);
    const body = { kind: 'segments', segments } as const;
    await backend.updateBody(CONTEXT, ref, { body }, precondition);
    expect(await backend.headObject(CONTEXT, ref)).to.deep.equal(before);
    expect(await backend.getSegments(CONTEXT, ref)).to.deep.equal(segments);
    expect((await readObject(fixture, ref)).equals(whole)).to.be.true;
  });
}

function describeRefusedBodies(fixture: Fixture): void {
  const refused: readonly (readonly [string, string, (bytes: Buffer) => BodyInput])[] = [
    ['is shorter', 'BodyMismatch', (bytes) => bytesOf(bytes.subarray(1))],
    ['is longer', 'BodyMismatch', (bytes) => bytesOf(Buffer.concat([bytes, bytes]))],
    ['throws', 'boom', (bytes) => ({ kind: 'bytes', source: throwing(bytes) })],
    ['has no segments', 'Unsupported', () => ({ kind: 'segments', segments: [] })],
    ['has a segment that is missing', 'SegmentMismatch', missingSegment],
  ];
  for (const size of [SMALL, LARGE]) {
    for (const [what, code, bodyOf] of refused) {
      it(`refuse a body that ${what}, for one of ${size} bytes`, async () => {
        const { backend } = fixture;
        const bytes = patternBytes(size);
        const { ref, precondition } = await freshAbsent(fixture, bytes);
        const update = { body: bodyOf(bytes), systemMetadata: { state: 'three' } };
        const error = await failureOf(backend.updateBody(CONTEXT, ref, update, precondition));
        expect((error as { code?: string }).code ?? (error as Error).message).to.equal(code);
        const head = await backend.headObject(CONTEXT, ref);
        expect(head).to.deep.include({ bodyAbsent: true });
        expect(head.systemMetadata.state).to.equal('two');
      });
    }

    it(`leave alone what is another object by now, for one of ${size} bytes`, async () => {
      const { backend } = fixture;
      const bytes = patternBytes(size);
      const { ref, precondition } = await freshAbsent(fixture, bytes);
      for (const body of [bytesOf(bytes), ABSENT]) {
        const condition = { ...precondition, systemMetadata: { state: 'other' } };
        const { outcome } = await backend.updateBody(CONTEXT, ref, { body }, condition);
        expect(outcome).to.equal('precondition_failed');
      }
      expect(await backend.headObject(CONTEXT, ref)).to.include({ bodyAbsent: true });
      await backend.deleteObject(CONTEXT, ref);
      const gone = backend.updateBody(CONTEXT, ref, { body: bytesOf(bytes) }, precondition);
      await failure('NoSuchObject', gone);
    });
  }

  it('give a link no body', async () => {
    const { backend } = fixture;
    const target = await freshObject(fixture, 'target');
    await backend.putObject(CONTEXT, target, inputOf('x'));
    const ref = { ...(await freshContainer(fixture)), object: 'link' };
    await backend.putLink(CONTEXT, ref, linkTo(target));
    const { link } = await backend.headObject(CONTEXT, ref);
    if (link === undefined) throw new Error('it is no link');
    await failure('Unsupported', backend.updateBody(CONTEXT, ref, { body: ABSENT }, link));
  });
}

function bytesOf(source: Buffer): BodyInput {
  return { kind: 'bytes', source };
}

async function* throwing(bytes: Buffer): AsyncGenerator<Buffer> {
  await Promise.resolve();
  yield bytes.subarray(0, 3);
  throw new Error('boom');
}

function missingSegment(bytes: Buffer): BodyInput {
  const segment = { container: 'nowhere', object: 'x', size: bytes.length, etag: 'x' };
  return { kind: 'segments', segments: [segment] };
}
