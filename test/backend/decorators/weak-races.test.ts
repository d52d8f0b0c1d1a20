import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import type { Backend, ObjectRef } from '../../../src/backend/backend.js';
import { CrashedError, CrashPointBackend } from '../../../src/backend/decorators/crash-points.js';
import {
  type BackendCall,
  DecoratedBackend,
} from '../../../src/backend/decorators/decorated-backend.js';
import { WeakPreconditions } from '../../../src/backend/decorators/weak-preconditions.js';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { BUCKET, CONTEXT, inputOf, KEY, textOf, withStore } from './support.js';
import { churn, KEYS, type Started } from './weak-churn.js';

const CONTENDER = new URL('./weak-contender.js', import.meta.url);

/** Lets somebody in right before the write that was decided on, once. */
class Interrupted extends DecoratedBackend {
  interrupt: (() => Promise<unknown>) | undefined;

  protected override async around<T>(call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    const { interrupt } = this;
    if (call.kind === 'write') this.interrupt = undefined;
    if (call.kind === 'write') await interrupt?.();
    return proceed();
  }
}

/** Whatever the order in which they came through, the last one to start has the last word. */
async function expectLastStarts(store: Backend, started: readonly Started[]): Promise<void> {
  for (const object of KEYS) {
    const ofKey = started.filter((write) => write.object === object);
    const latest = Math.max(...ofKey.map(({ startedAt }) => startedAt));
    // Those of several processes may share a microsecond.
    const last = ofKey.filter(({ startedAt }) => startedAt === latest).map(({ text }) => text);
    expect(ofKey.length).to.be.above(7);
    expect(await textOf(store, { ...BUCKET, object }), object).to.be.oneOf(last);
  }
}

describe('weak writes that race', () => {
  for (const [startedAt, deletes, outcome, left] of [
    [15, false, 'created', 'late'],
    [15, true, 'deleted', undefined],
    [25, false, 'created', 'between'],
    [25, true, 'stale', 'between'],
  ] as const) {
    const what = deletes ? 'a delete' : 'a put';
    it(`look again when a write of ${startedAt} comes between ${what} of 20 and its look`, async () => {
      await withStore(async (store) => {
        const at = (time: number, inner = store): WeakPreconditions =>
          new WeakPreconditions(inner, { now: () => time });
        await at(10).putObject(CONTEXT, KEY, inputOf('early'));
        // Makes the ticket, so that the next write is the one of the key.
        await at(11).deleteObject(CONTEXT, KEY);
        await at(12).putObject(CONTEXT, KEY, inputOf('early'));
        expect(await at(12).deleteObject(CONTEXT, KEY)).to.deep.equal({ outcome: 'stale' });
        const inner = new Interrupted(store);
        inner.interrupt = () => at(startedAt).putObject(CONTEXT, KEY, inputOf('between'));
        const late = at(20, inner);
        const done = await (deletes
          ? late.deleteObject(CONTEXT, KEY)
          : late.putObject(CONTEXT, KEY, inputOf('late')));
        expect(done).to.include({ outcome });
        expect(inner.interrupt).to.equal(undefined);
        expect(await textOf(store)).to.equal(left);
      });
    });
  }

  it('leave what started last, in one process', async () => {
    await withStore(async (store) => {
      const lanes = Array.from({ length: 8 }, (_, lane) => churn(store, `lane ${lane}`));
      await expectLastStarts(store, (await Promise.all(lanes)).flat());
    });
  });

  let children: ChildProcess[] = [];

  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    children = [];
  });

  it('leave what started last, in several processes', async () => {
    await withStore(async (store, directory) => {
      children = ['a', 'b', 'c'].map((who) => fork(CONTENDER, [directory, who]));
      const answers = children.map((child) => once(child, 'message') as Promise<[Started[]]>);
      const started = (await Promise.all(answers)).flatMap(([writes]) => writes);
      await expectLastStarts(store, started);
    });
  });

  it('leave no half of a write when a process ends, and keep out no later one', async () => {
    await withStore(async (store) => {
      const to: ObjectRef = { ...BUCKET, object: 'guard' };
      const weak = new WeakPreconditions(store);
      let points = 0;
      for (const when of ['before', 'after'] as const) {
        for (let at = 1; ; at++) {
          await weak.putObject(CONTEXT, to, inputOf(''));
          await weak.putObject(CONTEXT, KEY, inputOf('old'));
          const doomed = new CrashPointBackend(store, { at, when });
          const guard = { ref: to, consumed: true };
          const write = new WeakPreconditions(doomed).putObject(
            CONTEXT,
            KEY,
            inputOf('new', { guard }),
          );
          const error: unknown = await write.then(
            () => undefined,
            (reason: unknown) => reason,
          );
          if (error === undefined) break;
          points++;
          expect(error).to.be.instanceOf(CrashedError);
          expect(await textOf(store)).to.be.oneOf(['old', 'new']);
          expect(await weak.putObject(CONTEXT, KEY, inputOf('next'))).to.include({
            outcome: 'created',
          });
          expect(await textOf(store)).to.equal('next');
          expect(await weak.deleteObject(CONTEXT, KEY)).to.deep.equal({ outcome: 'deleted' });
        }
      }
      expect(points).to.be.above(4);
    });
  });

  it('agree with a store that was opened anew', async () => {
    await withStore(async (store, directory) => {
      await new WeakPreconditions(store, { now: () => 20 }).putObject(CONTEXT, KEY, inputOf('x'));
      const again = await openEmbeddedStore({ directory });
      const late = new WeakPreconditions(again, { now: () => 19 });
      const outcome = await late.putObject(CONTEXT, KEY, inputOf('y'));
      expect(outcome).to.deep.equal({ outcome: 'stale' });
      await late.close();
    });
  });
});
