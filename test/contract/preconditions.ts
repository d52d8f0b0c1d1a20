import { expect } from 'chai';
import type { ObjectRef, PutOutcome } from '../../src/backend/backend.js';
import type { BackendError } from '../../src/backend/errors.js';
import {
  type Capability,
  CONTEXT,
  createdBy,
  failure,
  type Fixture,
  freshObject,
  inputOf,
  LARGE,
  needsCapability,
  onlyWinner,
  patternBytes,
  readObject,
  SMALL,
} from './fixture.js';

export function describePreconditions(fixture: Fixture): void {
  describe('preconditions', () => {
    function needs(capability: Capability): void {
      beforeEach(function () {
        needsCapability(this, fixture, capability);
      });
    }

    function put(ref: ObjectRef, body: Buffer, condition: object): Promise<PutOutcome> {
      return fixture.backend.putObject(CONTEXT, ref, inputOf(body), condition as { absent: true });
    }

    describe('a place among the writes of an object', () => {
      needs('orderedWrites');

      async function standing(): Promise<{ ref: ObjectRef; since: number }> {
        const ref = await freshObject(fixture);
        const put = await fixture.backend.putObject(CONTEXT, ref, inputOf('first'));
        return { ref, since: createdBy(put).lastModified };
      }

      async function putAt(ref: ObjectRef, since: number, rank: number): Promise<string> {
        const input = { ...inputOf(`${rank}`), order: { since, rank } };
        return (await fixture.backend.putObject(CONTEXT, ref, input)).outcome;
      }

      it('decides which one stays, whatever the order in which they come', async () => {
        const { ref, since } = await standing();
        expect(await putAt(ref, since, 2)).to.equal('created');
        expect(await putAt(ref, since, 12)).to.equal('created');
        for (const rank of [1, 3, 12]) expect(await putAt(ref, since, rank)).to.equal('stale');
        expect(String(await readObject(fixture, ref))).to.equal('12');
        const { lastModified } = await fixture.backend.headObject(CONTEXT, ref);
        expect(lastModified, 'the time of what they follow').to.equal(since);
      });

      it('changes nothing that was written since', async () => {
        const { ref, since } = await standing();
        await freshObject(fixture);
        await fixture.backend.putObject(CONTEXT, ref, inputOf('since'));
        expect(await putAt(ref, since, 7)).to.equal('stale');
        const order = { since, rank: 8 };
        const deleted = await fixture.backend.deleteObject(CONTEXT, ref, undefined, { order });
        expect(deleted).to.deep.equal({ outcome: 'stale' });
        expect(String(await readObject(fixture, ref))).to.equal('since');
      });

      it('holds for creations where the store says so', async function () {
        needsCapability(this, fixture, 'orderedCreations');
        const { ref, since } = await standing();
        const create = (rank: number) => {
          const input = { ...inputOf(`${rank}`), order: { since, rank } };
          return fixture.backend.putObject(CONTEXT, ref, input, { absent: true });
        };
        expect(await create(1)).to.deep.equal({ outcome: 'precondition_failed' });
        const order = { since, rank: 2 };
        await fixture.backend.deleteObject(CONTEXT, ref, undefined, { order });
        expect(await create(1), 'it was deleted since').to.deep.equal({ outcome: 'stale' });
        await failure('NoSuchObject', fixture.backend.headObject(CONTEXT, ref));
        expect(await create(3)).to.include({ outcome: 'created', lastModified: since });
      });

      it('holds where a deletion found nothing', async () => {
        const ref = await freshObject(fixture);
        const other = await standing();
        const order = { since: other.since, rank: 2 };
        const nothing = fixture.backend.deleteObject(CONTEXT, ref, undefined, { order });
        await failure('NoSuchObject', nothing);
        expect(await putAt(ref, other.since, 1)).to.equal('stale');
        await failure('NoSuchObject', fixture.backend.headObject(CONTEXT, ref));
        expect(await putAt(ref, other.since, 3)).to.equal('created');
      });

      it('holds for links and deletions as well', async () => {
        const { ref, since } = await standing();
        const target = { ...ref, object: 'target' };
        await fixture.backend.putObject(CONTEXT, target, inputOf('target'));
        const link = (rank: number) => {
          const described = { size: 6, etag: 'e'.repeat(32), contentType: 'text/plain' };
          const input = { target, ...described, order: { since, rank } };
          return fixture.backend.putLink(CONTEXT, ref, input);
        };
        const remove = (rank: number) => {
          const order = { since, rank };
          return fixture.backend.deleteObject(CONTEXT, ref, undefined, { order });
        };
        expect(await link(3)).to.include({ outcome: 'created', lastModified: since });
        expect(await remove(2)).to.deep.equal({ outcome: 'stale' });
        expect(String(await readObject(fixture, ref))).to.equal('target');
        expect(await remove(5)).to.deep.equal({ outcome: 'deleted' });
        expect(await link(4)).to.deep.equal({ outcome: 'stale' });
        await failure('NoSuchObject', fixture.backend.headObject(CONTEXT, ref));
        expect(await link(6)).to.include({ outcome: 'created', lastModified: since });
      });
    });

    for (const size of [SMALL, LARGE]) {
      describe(`absent, ${size} bytes`, () => {
        needs('atomicCreate');

        it('creates what is not there, and changes nothing that is', async () => {
          const ref = await freshObject(fixture);
          const first = patternBytes(size, 1);
          expect((await put(ref, first, { absent: true })).outcome).to.equal('created');
          const second = await put(ref, patternBytes(size, 2), { absent: true });
          expect(second).to.deep.equal({ outcome: 'precondition_failed' });
          expect(await readObject(fixture, ref)).to.deep.equal(first);
        });

        it('lets exactly one of racing creators win, and keeps its body', async () => {
          const ref = await freshObject(fixture);
          const outcomes = await Promise.all(
            Array.from({ length: 12 }, (_, i) => put(ref, patternBytes(size, i), { absent: true })),
          );
          const kept = patternBytes(size, onlyWinner(outcomes));
          expect(await readObject(fixture, ref)).to.deep.equal(kept);
          const usage = { objectCount: 1, bytesUsed: size };
          expect(await fixture.backend.headContainer(CONTEXT, ref)).to.include(usage);
        });
      });

      describe(`present, ${size} bytes`, () => {
        needs('exclusiveDelete');

        it('deletes what is there, with the ETag where one is given', async () => {
          const { backend } = fixture;
          const ref = await freshObject(fixture);
          const nothing = backend.deleteObject(CONTEXT, ref, { present: true });
          await failure('NoSuchObject', nothing);
          const { etag } = createdBy(await backend.putObject(CONTEXT, ref, inputOf('first')));
          const wrong = await backend.deleteObject(CONTEXT, ref, { present: true, etag: 'other' });
          expect(wrong).to.deep.equal({ outcome: 'precondition_failed' });
          expect((await readObject(fixture, ref)).toString()).to.equal('first');
          const right = await backend.deleteObject(CONTEXT, ref, { present: true, etag });
          expect(right).to.deep.equal({ outcome: 'deleted' });
          await failure('NoSuchObject', backend.headObject(CONTEXT, ref));
          await backend.putObject(CONTEXT, ref, inputOf(patternBytes(size)));
          const any = await backend.deleteObject(CONTEXT, ref, { present: true });
          expect(any).to.deep.equal({ outcome: 'deleted' });
          const gone = backend.deleteObject(CONTEXT, ref, { present: true, etag });
          await failure('NoSuchObject', gone);
        });

        it('lets exactly one of racing deleters win', async () => {
          const ref = await freshObject(fixture);
          const { backend } = fixture;
          const input = inputOf(patternBytes(size));
          const { etag } = createdBy(await backend.putObject(CONTEXT, ref, input));
          const told = await Promise.all(
            Array.from({ length: 12 }, (_, i) => {
              const condition =
                i % 2 ? { present: true as const } : { present: true as const, etag };
              return backend.deleteObject(CONTEXT, ref, condition).then(
                ({ outcome }) => outcome,
                (error: unknown) => (error as BackendError).code,
              );
            }),
          );
          expect(told.filter((outcome) => outcome === 'deleted')).to.have.length(1);
          expect(told.filter((outcome) => outcome === 'NoSuchObject')).to.have.length(11);
        });
      });

      describe(`etag, ${size} bytes`, () => {
        needs('conditionalReplace');

        it('replaces only what has it', async () => {
          const ref = await freshObject(fixture);
          const missing = await put(ref, patternBytes(size), { etag: 'x' });
          expect(missing.outcome).to.equal('precondition_failed');
          await failure('NoSuchObject', fixture.backend.headObject(CONTEXT, ref));
          const { etag } = createdBy(await put(ref, patternBytes(size, 1), { absent: true }));
          const second = await put(ref, patternBytes(size, 2), { etag });
          expect(second.outcome).to.equal('created');
          const late = await put(ref, patternBytes(size, 3), { etag });
          expect(late.outcome).to.equal('precondition_failed');
          expect(await readObject(fixture, ref)).to.deep.equal(patternBytes(size, 2));
        });

        it('loses no step of racing read-modify-write loops', async () => {
          const ref = await freshObject(fixture);
          await fixture.backend.putObject(CONTEXT, ref, inputOf('0'));
          await Promise.all(Array.from({ length: 4 }, () => countUp(fixture, ref, 5)));
          expect((await readObject(fixture, ref)).toString()).to.equal('20');
        });

        it('deletes only what has it', async () => {
          const ref = await freshObject(fixture);
          const { etag } = createdBy(await put(ref, patternBytes(size), { absent: true }));
          const { backend } = fixture;
          const wrong = await backend.deleteObject(CONTEXT, ref, { etag: 'other' });
          expect(wrong).to.deep.equal({ outcome: 'precondition_failed' });
          expect((await backend.headObject(CONTEXT, ref)).etag).to.equal(etag);
          const right = await backend.deleteObject(CONTEXT, ref, { etag });
          expect(right).to.deep.equal({ outcome: 'deleted' });
          await failure('NoSuchObject', backend.deleteObject(CONTEXT, ref, { etag }));
        });

        it('tells a rewrite of the same bytes by its time', async () => {
          const ref = await freshObject(fixture);
          const { backend } = fixture;
          const { etag } = createdBy(await put(ref, patternBytes(size), { absent: true }));
          const { lastModified } = await backend.headObject(CONTEXT, ref);
          const other = { etag, lastModified: lastModified - 1 };
          const stale = await backend.deleteObject(CONTEXT, ref, other);
          expect(stale).to.deep.equal({ outcome: 'precondition_failed' });
          const replaced = await put(ref, patternBytes(size, 1), other);
          expect(replaced).to.deep.equal({ outcome: 'precondition_failed' });
          const right = await backend.deleteObject(CONTEXT, ref, { etag, lastModified });
          expect(right).to.deep.equal({ outcome: 'deleted' });
        });
      });
    }
  });
}

/** Adds one, `times` times, by compare-and-swap on the ETag. */
async function countUp(fixture: Fixture, ref: ObjectRef, times: number): Promise<void> {
  for (let done = 0; done < times;) {
    const { etag } = await fixture.backend.headObject(CONTEXT, ref);
    const value = Number((await readObject(fixture, ref)).toString());
    const next = inputOf(String(value + 1));
    const { outcome } = await fixture.backend.putObject(CONTEXT, ref, next, { etag });
    if (outcome === 'created') done++;
  }
}
