import { expect } from 'chai';
import type { Guard, ObjectRef, PutOutcome } from '../../src/backend/backend.js';
import {
  CONTEXT,
  createdBy,
  failure,
  type Fixture,
  freshContainer,
  inputOf,
  LARGE,
  patternBytes,
  readObject,
  SMALL,
  needsCapability,
} from './fixture.js';
import { linkTo } from './links.js';
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
  [
    'a link',
    async (fixture, ref, guard) => {
      const target = { ...(await freshContainer(fixture)), object: 'target' };
      await fixture.backend.putObject(CONTEXT, target, inputOf('x'));
      return fixture.backend.putLink(CONTEXT, ref, linkTo(target, { guard }));
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

    describeEtags(fixture);
    describeGuardedDeletes(fixture);

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
      needsCapability(this, fixture, 'atomicGuard');
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

function describeEtags(fixture: Fixture): void {
  for (const [how, write] of WRITES) {
    for (const consumed of [false, true]) {
      const title = `with an ETag keep ${how} out while they have another`;
      it(`${title}${consumed ? ', and are not consumed' : ''}`, async () => {
        const { backend } = fixture;
        const { ref, guard } = await guarded(fixture, consumed);
        const etag = createdBy(await backend.putObject(CONTEXT, guard.ref, inputOf('one'))).etag;
        const expected = { ...guard, etag };
        await backend.putObject(CONTEXT, guard.ref, inputOf('two'));
        await backend.putObject(CONTEXT, ref, inputOf('before'));
        await failure('GuardMissing', write(fixture, ref, expected));
        expect((await readObject(fixture, ref)).toString()).to.equal('before');
        expect((await readObject(fixture, guard.ref)).toString()).to.equal('two');
        await backend.putObject(CONTEXT, guard.ref, inputOf('one'));
        expect(await write(fixture, ref, expected)).to.include({ outcome: 'created' });
        const { objectCount } = await backend.headContainer(CONTEXT, guard.ref);
        expect(objectCount).to.equal(consumed ? 0 : 1);
      });
    }
  }

  for (const size of [SMALL, LARGE]) {
    it(`of ${size} bytes are consumed with their body`, async () => {
      const { backend } = fixture;
      const { ref, guard } = await guarded(fixture, true);
      const body = inputOf(patternBytes(size));
      const { etag } = createdBy(await backend.putObject(CONTEXT, guard.ref, body));
      await backend.putObject(CONTEXT, ref, inputOf('x', { guard: { ...guard, etag } }));
      const gone = { objectCount: 0, bytesUsed: 0 };
      expect(await backend.headContainer(CONTEXT, guard.ref)).to.include(gone);
    });
  }

  it('with an ETag let no write pass that comes after their change', async function () {
    needsCapability(this, fixture, 'atomicGuard');
    const { backend } = fixture;
    const { ref, guard } = await guarded(fixture);
    for (let round = 0; round < 20; round++) {
      const old = createdBy(await backend.putObject(CONTEXT, guard.ref, inputOf(`old ${round}`)));
      const input = inputOf(`written ${round}`, { guard: { ...guard, etag: old.etag } });
      await Promise.allSettled([
        backend.putObject(CONTEXT, ref, input),
        backend.putObject(CONTEXT, guard.ref, inputOf(`new ${round}`)),
        backend.putObject(CONTEXT, ref, input),
      ]);
      await failure('GuardMissing', backend.putObject(CONTEXT, ref, input));
    }
  });
}

function describeGuardedDeletes(fixture: Fixture): void {
  it('let an object be deleted while they are there and as they have to be', async () => {
    const { backend } = fixture;
    const { ref, guard } = await guarded(fixture);
    await backend.putObject(CONTEXT, ref, inputOf('object'));
    const { etag } = createdBy(await backend.putObject(CONTEXT, guard.ref, inputOf('guard')));
    const remove = (etag?: string, consumed = false): Promise<unknown> =>
      backend.deleteObject(CONTEXT, ref, undefined, { guard: { ...guard, etag, consumed } });
    await failure('GuardMissing', remove('other'));
    await failure('GuardMissing', remove('other', true));
    expect((await readObject(fixture, ref)).toString()).to.equal('object');
    expect(await remove(etag)).to.deep.equal({ outcome: 'deleted' });
    await failure('NoSuchObject', remove(etag));
    await failure('NoSuchObject', remove(etag, true));
    // Whoever is overtaken hears of that, and not of what the object came to.
    await failure('GuardMissing', remove('other'));
    await backend.putObject(CONTEXT, ref, inputOf('object'));
    expect(await remove(etag, true)).to.deep.equal({ outcome: 'deleted' });
    for (const each of [ref, guard.ref]) {
      const gone = { objectCount: 0, bytesUsed: 0 };
      expect(await backend.headContainer(CONTEXT, each)).to.include(gone);
    }
    await backend.putObject(CONTEXT, ref, inputOf('object'));
    await failure('GuardMissing', remove());
    expect((await readObject(fixture, ref)).toString()).to.equal('object');
  });

  it('stay when the precondition of the delete does not hold', async function () {
    needsCapability(this, fixture, 'conditionalReplace');
    const { backend } = fixture;
    const { ref, guard } = await guarded(fixture, true);
    await backend.putObject(CONTEXT, ref, inputOf('object'));
    const outcome = await backend.deleteObject(CONTEXT, ref, { etag: 'other' }, { guard });
    expect(outcome).to.deep.equal({ outcome: 'precondition_failed' });
    await backend.headObject(CONTEXT, guard.ref);
  });

  it('may be what is written or deleted itself', async () => {
    const { backend } = fixture;
    const { guard } = await guarded(fixture, true);
    const { ref } = guard;
    createdBy(await backend.putObject(CONTEXT, ref, inputOf('self', { guard })));
    const { etag } = await backend.headObject(CONTEXT, ref);
    const used = { objectCount: 1, bytesUsed: 4 };
    expect(await backend.headContainer(CONTEXT, ref)).to.include(used);
    await backend.deleteObject(CONTEXT, ref, undefined, { guard: { ...guard, etag } });
    const gone = { objectCount: 0, bytesUsed: 0 };
    expect(await backend.headContainer(CONTEXT, ref)).to.include(gone);
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
