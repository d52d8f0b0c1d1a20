import { expect } from 'chai';
import type { Guard, ObjectRef, PutOutcome } from '../../src/backend/backend.js';
import {
  CONTEXT,
  failure,
  type Fixture,
  freshContainer,
  inputOf,
  LARGE,
  patternBytes,
  readObject,
  SMALL,
} from './fixture.js';
import { manifestOf, putSegments } from './segments.js';

/** Each way to write an object, with a guard. */
const WRITES: readonly (readonly [
  how: string,
  write: (fixture: Fixture, ref: ObjectRef, guard: Guard) => Promise<{ outcome: string }>,
])[] = [
  [
    'a small body',
    ({ backend }, ref, guard) => backend.putObject(CONTEXT, ref, inputOf('x', { guard })),
  ],
  [
    'a large body',
    ({ backend }, ref, guard) =>
      backend.putObject(CONTEXT, ref, inputOf(patternBytes(LARGE, 1), { guard })),
  ],
  [
    'a manifest',
    async (fixture, ref, guard) => {
      const { segments } = await putSegments(fixture, await freshContainer(fixture), [SMALL]);
      return fixture.backend.putManifest(CONTEXT, ref, { ...manifestOf(segments), guard });
    },
  ],
  ['a copy of a small body', (fixture, ref, guard) => copyOf(fixture, SMALL, ref, guard)],
  ['a copy of a large body', (fixture, ref, guard) => copyOf(fixture, LARGE, ref, guard)],
];

async function copyOf(
  fixture: Fixture,
  size: number,
  ref: ObjectRef,
  guard: Guard,
): Promise<{ outcome: string }> {
  const { backend } = fixture;
  const source = { ...(await freshContainer(fixture)), object: 'source' };
  await backend.putObject(CONTEXT, source, inputOf(patternBytes(size, 1)));
  return backend.copyObject(CONTEXT, source, ref, { guard });
}

export function describeGuards(fixture: Fixture): void {
  describe('guards', () => {
    for (const [how, write] of WRITES) {
      it(`let ${how} be written while they are there`, async () => {
        const { ref, guard } = await guarded(fixture);
        for (let times = 0; times < 2; times++) {
          expect(await write(fixture, ref, guard)).to.include({ outcome: 'created' });
        }
        await fixture.backend.headObject(CONTEXT, guard.ref);
      });

      it(`are given for ${how}, once`, async () => {
        const { ref, guard } = await guarded(fixture, true);
        expect(await write(fixture, ref, guard)).to.include({ outcome: 'created' });
        const { objectCount } = await fixture.backend.headContainer(CONTEXT, guard.ref);
        expect(objectCount).to.equal(0);
        await failure('NoSuchObject', fixture.backend.headObject(CONTEXT, guard.ref));
        await failure('GuardMissing', write(fixture, ref, guard));
      });

      it(`keep ${how} out when they are gone, and what was there stays`, async () => {
        const { ref, guard } = await guarded(fixture);
        const { backend } = fixture;
        await backend.putObject(CONTEXT, ref, inputOf('before'));
        await backend.deleteObject(CONTEXT, guard.ref);
        await failure('GuardMissing', write(fixture, ref, guard));
        await backend.deleteContainer(CONTEXT, guard.ref);
        await failure('GuardMissing', write(fixture, ref, guard));
        expect((await readObject(fixture, ref)).toString()).to.equal('before');
      });
    }

    it('stay when the precondition of the write does not hold', async () => {
      const { ref, guard } = await guarded(fixture, true);
      const { backend } = fixture;
      await backend.putObject(CONTEXT, ref, inputOf('before'));
      const input = inputOf('after', { guard });
      const outcome = await backend.putObject(CONTEXT, ref, input, { absent: true });
      expect(outcome).to.deep.equal({ outcome: 'precondition_failed' });
      await backend.headObject(CONTEXT, guard.ref);
    });

    it('are given once however many ask at the same time', async function () {
      if (!fixture.backend.capabilities.atomicGuard) this.skip();
      for (let round = 0; round < 10; round++) {
        const { ref, guard } = await guarded(fixture, true);
        const writes = Array.from({ length: 8 }, (_, writer) =>
          fixture.backend.putObject(CONTEXT, ref, inputOf(`writer ${writer}`, { guard })),
        );
        const settled = await Promise.allSettled<PutOutcome>(writes);
        const winners = settled.flatMap(({ status }, writer) =>
          status === 'fulfilled' ? [writer] : [],
        );
        expect(winners).to.have.lengthOf(1);
        const body = (await readObject(fixture, ref)).toString();
        expect(body).to.equal(`writer ${winners[0] ?? ''}`);
      }
    });
  });
}

/** An object to be written, and an empty one in a container of its own. */
async function guarded(
  fixture: Fixture,
  consumed = false,
): Promise<{ ref: ObjectRef; guard: Guard }> {
  const ref = { ...(await freshContainer(fixture)), object: 'object' };
  const guard = { ...(await freshContainer(fixture)), object: 'guard' };
  await fixture.backend.putObject(CONTEXT, guard, inputOf(''));
  return { ref, guard: { ref: guard, consumed } };
}
