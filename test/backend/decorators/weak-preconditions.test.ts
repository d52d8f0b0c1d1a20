import { expect } from 'chai';
import type { Backend, Guard, ObjectRef, PutOutcome } from '../../../src/backend/backend.js';
import { WeakPreconditions } from '../../../src/backend/decorators/weak-preconditions.js';
import { BUCKET, CONTEXT, heldAt, inputOf, KEY, textOf, withStore } from './support.js';

const ABSENT = { absent: true } as const;
const OTHER: ObjectRef = { ...BUCKET, object: 'other' };

function at(startedAt: number): { now: () => number } {
  return { now: () => startedAt };
}

/** A write of the key by somebody whose clock says so. */
function put(store: Backend, startedAt: number, text: string): Promise<PutOutcome> {
  return new WeakPreconditions(store, at(startedAt)).putObject(CONTEXT, KEY, inputOf(text));
}

function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => (error as { code?: string }).code,
  );
}

describe('weak preconditions', () => {
  it('say so, and are made of strong ones alone', async () => {
    await withStore((store) => {
      const weak = new WeakPreconditions(store);
      expect(weak.capabilities).to.include({
        atomicCreate: false,
        conditionalReplace: false,
        conditionalDelete: false,
        listingUpdates: true,
        bodyUpdates: true,
        takesMd5: false,
        atomicGuard: false,
      });
      expect(() => new WeakPreconditions(weak)).to.throw(/strong/);
      return Promise.resolve();
    });
  });

  it('let all racing creators win, and the last one to start stay', async () => {
    await withStore(async (store) => {
      const racers = ['first', 'second', 'third'].map((text) => {
        const racer = heldAt('checked', store);
        return { ...racer, text, put: racer.backend.putObject.bind(racer.backend) };
      });
      const outcomes = [];
      for (const { put, text, arrived } of racers) {
        outcomes.push(put(CONTEXT, KEY, inputOf(text), ABSENT));
        await arrived;
      }
      for (const i of [2, 0, 1]) {
        racers[i]?.release();
        expect(await outcomes[i]).to.include({ outcome: 'created' });
        expect(await textOf(store)).to.equal('third');
      }
      const { etag, lastModified } = await store.headObject(CONTEXT, KEY);
      expect(await outcomes[2]).to.deep.equal({ outcome: 'created', etag, lastModified });
      const late = await put(store, 1, 'late');
      expect(late).to.deep.equal({ outcome: 'stale' });
    });
  });

  it('still see what was there when they looked', async () => {
    await withStore(async (store) => {
      const weak = new WeakPreconditions(store);
      await weak.putObject(CONTEXT, KEY, inputOf('first'), ABSENT);
      const second = await weak.putObject(CONTEXT, KEY, inputOf('second'), ABSENT);
      expect(second).to.deep.equal({ outcome: 'precondition_failed' });
      expect(await textOf(store)).to.equal('first');
    });
  });

  it('tell a write that it is stale only when it looks after the newer one', async () => {
    await withStore(async (store) => {
      const early = heldAt('started', store);
      const between = heldAt('checked', store);
      const outcomes = [early, between].map(({ backend }) =>
        backend.putObject(CONTEXT, KEY, inputOf('old')),
      );
      await Promise.all([early.arrived, between.arrived]);
      await new WeakPreconditions(store).putObject(CONTEXT, KEY, inputOf('new'));
      early.release();
      between.release();
      expect(await outcomes[0]).to.deep.equal({ outcome: 'stale' });
      const { startedAt } = await between.arrived;
      const lastModified = Math.floor(startedAt / 1000);
      expect(await outcomes[1]).to.include({ outcome: 'created', lastModified });
      expect(await textOf(store)).to.equal('new');
    });
  });

  it('keep to the order of starts whatever the clocks say', async () => {
    await withStore(async (store) => {
      expect(await put(store, 20, 'b')).to.include({ outcome: 'created' });
      expect(await put(store, 10, 'a')).to.deep.equal({ outcome: 'stale' });
      expect(await put(store, 20, 'c')).to.deep.equal({ outcome: 'stale' });
      expect(await textOf(store)).to.equal('b');
      expect(await put(store, 21, 'd')).to.include({ outcome: 'created' });
      expect(await textOf(store)).to.equal('d');
    });
  });

  it('take an object that was written past them for what it is', async () => {
    await withStore(async (store) => {
      await store.putObject(CONTEXT, KEY, inputOf('past'));
      expect(await put(store, 10, 'old')).to.deep.equal({ outcome: 'stale' });
      const weak = new WeakPreconditions(store);
      await weak.putObject(CONTEXT, KEY, inputOf('new'));
      expect(await textOf(store)).to.equal('new');
    });
  });

  it('are none on ETags, for any write', async () => {
    await withStore(async (store) => {
      const weak = new WeakPreconditions(store);
      await weak.putObject(CONTEXT, KEY, inputOf('x'));
      const { etag } = await weak.headObject(CONTEXT, KEY);
      const { container, object } = OTHER;
      const described = { etag: 'e', contentType: 'a/b' };
      const link = { ...described, size: 1, target: { container, object } };
      const segments = [{ container, object, size: 1, etag: 'x' }];
      for (const write of [
        weak.putObject(CONTEXT, KEY, inputOf('y'), { etag }),
        weak.putLink(CONTEXT, KEY, link, { etag }),
        weak.putManifest(CONTEXT, KEY, { ...described, segments }, { etag }),
        weak.copyObject(CONTEXT, KEY, KEY, {}, { etag }),
        weak.deleteObject(CONTEXT, KEY, { etag }),
      ]) {
        expect(await codeOf(write)).to.equal('Unsupported');
      }
      expect(await textOf(store)).to.equal('x');
    });
  });

  it('show nothing of what they keep', async () => {
    await withStore(async (store) => {
      const weak = new WeakPreconditions(store);
      const listingAttributes = { class: 'COLD' };
      await weak.putObject(CONTEXT, KEY, inputOf('x', { listingAttributes }));
      await weak.copyObject(CONTEXT, KEY, OTHER, {});
      await weak.updateObject(CONTEXT, KEY, { listingAttributes: { more: '1' } });
      const { entries } = await weak.listObjects(CONTEXT, BUCKET, { limit: 10 });
      const shown = entries.map((entry) => entry.kind === 'object' && entry.object.attributes);
      expect(shown).to.deep.equal([{ class: 'COLD', more: '1' }, listingAttributes]);
      expect((await weak.headObject(CONTEXT, KEY)).systemMetadata).to.deep.equal({});
      for (const container of ['+later', 'z']) {
        await weak.createContainer(CONTEXT, { ...BUCKET, container }, {});
      }
      const names: string[] = [];
      for (let truncated = true; truncated;) {
        const query = { limit: 1, marker: names.at(-1) };
        const page = await weak.listContainers(CONTEXT, BUCKET.account, query);
        names.push(...page.containers.map(({ name }) => name));
        ({ truncated } = page);
      }
      expect(names).to.deep.equal(['+later', BUCKET.container, 'z']);
    });
  });
});

describe('weak deletes', () => {
  it('leave their time behind', async () => {
    await withStore(async (store) => {
      const weak = new WeakPreconditions(store, at(30));
      await put(store, 10, 'a');
      expect(await weak.deleteObject(CONTEXT, KEY)).to.deep.equal({ outcome: 'deleted' });
      expect(await put(store, 20, 'b')).to.deep.equal({ outcome: 'stale' });
      expect(await textOf(store)).to.equal(undefined);
      expect(await put(store, 40, 'c')).to.include({ outcome: 'created' });
      expect(await weak.deleteObject(CONTEXT, KEY)).to.deep.equal({ outcome: 'stale' });
      expect(await textOf(store)).to.equal('c');
    });
  });

  it('leave it also where nothing was', async () => {
    await withStore(async (store) => {
      const weak = new WeakPreconditions(store, at(30));
      expect(await codeOf(weak.deleteObject(CONTEXT, KEY))).to.equal('NoSuchObject');
      expect(await put(store, 20, 'b')).to.deep.equal({ outcome: 'stale' });
      expect(await put(store, 40, 'c')).to.include({ outcome: 'created' });
    });
  });

  it('win over a put that started before them and commits after them', async () => {
    await withStore(async (store) => {
      const slow = heldAt('guarded', store);
      const outcome = slow.backend.putObject(CONTEXT, KEY, inputOf('slow'), ABSENT);
      await slow.arrived;
      const quick = new WeakPreconditions(store);
      await quick.putObject(CONTEXT, KEY, inputOf('quick'));
      await quick.deleteObject(CONTEXT, KEY);
      slow.release();
      expect(await outcome).to.include({ outcome: 'created' });
      expect(await textOf(store)).to.equal(undefined);
    });
  });

  it('lose to a put that started after them', async () => {
    await withStore(async (store) => {
      const slow = heldAt('started', store);
      await new WeakPreconditions(store).putObject(CONTEXT, KEY, inputOf('first'));
      const outcome = slow.backend.deleteObject(CONTEXT, KEY);
      await slow.arrived;
      await new WeakPreconditions(store).putObject(CONTEXT, KEY, inputOf('second'));
      slow.release();
      expect(await outcome).to.deep.equal({ outcome: 'stale' });
      expect(await textOf(store)).to.equal('second');
    });
  });
});

describe('weak guards', () => {
  /** Somebody who has found the guard there, and has not written yet. */
  async function guarded(store: Backend, guard: Guard, text: string) {
    const held = heldAt('guarded', store);
    const outcome = held.backend.putObject(CONTEXT, KEY, inputOf(text, { guard }));
    await held.arrived;
    return { outcome, release: held.release };
  }

  it('do not see what happens right before the write', async () => {
    await withStore(async (store) => {
      const weak = new WeakPreconditions(store);
      const { etag } = (await weak.putObject(CONTEXT, OTHER, inputOf('1'))) as { etag: string };
      const guard = { ref: OTHER, etag, consumed: false };
      const { outcome, release } = await guarded(store, guard, 'x');
      await weak.putObject(CONTEXT, OTHER, inputOf('2'));
      release();
      expect(await outcome).to.include({ outcome: 'created' });
      const late = weak.putObject(CONTEXT, KEY, inputOf('y', { guard }));
      expect(await codeOf(late)).to.equal('GuardMissing');
      expect(await textOf(store)).to.equal('x');
    });
  });

  it('are consumed by several that race, and the last one to start stays', async () => {
    await withStore(async (store) => {
      const weak = new WeakPreconditions(store);
      await weak.putObject(CONTEXT, OTHER, inputOf(''));
      const guard = { ref: OTHER, consumed: true };
      const racers = [await guarded(store, guard, '1'), await guarded(store, guard, '2')];
      for (const { outcome, release } of racers.reverse()) {
        release();
        expect(await outcome).to.include({ outcome: 'created' });
        expect(await textOf(store, OTHER)).to.equal(undefined);
      }
      expect(await textOf(store)).to.equal('2');
      const late = weak.putObject(CONTEXT, KEY, inputOf('3', { guard }));
      expect(await codeOf(late)).to.equal('GuardMissing');
    });
  });

  it('stay when the process ends between the write and their removal', async () => {
    await withStore(async (store) => {
      const weak = new WeakPreconditions(store);
      await weak.putObject(CONTEXT, OTHER, inputOf(''));
      const held = heldAt('removing', store);
      const guard = { ref: OTHER, consumed: true };
      const outcome = held.backend.putObject(CONTEXT, KEY, inputOf('x', { guard }));
      await held.arrived;
      expect([await textOf(store), await textOf(store, OTHER)]).to.deep.equal(['x', '']);
      held.release();
      await outcome;
      expect(await textOf(store, OTHER)).to.equal(undefined);
    });
  });
});
