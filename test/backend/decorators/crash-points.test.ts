import { expect } from 'chai';
import { CrashedError, CrashPointBackend } from '../../support/backend/crash-points.js';
import { describeCall } from '../../support/backend/recording.js';
import { errorOf } from '../../support/failure.js';
import { CONTEXT, inputOf, KEY, textOf, withStore } from './support.js';

describe('crash points', () => {
  it('count the calls that write, or all, and do nothing on their own', async () => {
    await withStore(async (store) => {
      for (const [counted, calls] of [
        [undefined, 2],
        ['writes', 2],
        ['all', 4],
      ] as const) {
        const backend = new CrashPointBackend(store, { counted });
        await backend.putObject(CONTEXT, KEY, inputOf('x'));
        await backend.headObject(CONTEXT, KEY);
        await backend.deleteObject(CONTEXT, KEY);
        await backend.ping(CONTEXT);
        expect([backend.calls, backend.crashed]).to.deep.equal([calls, false]);
      }
    });
  });

  for (const [when, left] of [
    ['before', 'first'],
    ['after', 'second'],
  ] as const) {
    it(`end a process ${when} a call, for good`, async () => {
      await withStore(async (store) => {
        const backend = new CrashPointBackend(store, { at: 2, when });
        await backend.putObject(CONTEXT, KEY, inputOf('first'));
        expect(await textOf(backend)).to.equal('first');
        const error = await errorOf(backend.putObject(CONTEXT, KEY, inputOf('second')));
        expect(error).to.be.instanceOf(CrashedError);
        expect((error as Error).message).to.equal(`the process crashed ${when} call 2, putObject`);
        expect(await textOf(store)).to.equal(left);
        expect(await errorOf(backend.putObject(CONTEXT, KEY, inputOf('third')))).to.equal(error);
        expect(await errorOf(backend.headObject(CONTEXT, KEY))).to.equal(error);
        expect(await textOf(store)).to.equal(left);
        expect([backend.calls, backend.crashed]).to.deep.equal([2, true]);
      });
    });
  }

  it('give no answer to calls that were under way', async () => {
    await withStore(async (store) => {
      const backend = new CrashPointBackend(store, { at: 2 });
      const other = { ...KEY, object: 'other' };
      const settled = await Promise.allSettled([
        backend.putObject(CONTEXT, other, inputOf('under way')),
        backend.putObject(CONTEXT, KEY, inputOf('x')),
      ]);
      for (const each of settled) {
        expect(each.status === 'rejected' && each.reason).to.be.instanceOf(CrashedError);
      }
      expect(await textOf(store)).to.equal(undefined);
    });
  });

  it('come after a call that failed, too', async () => {
    await withStore(async (store) => {
      const backend = new CrashPointBackend(store, { at: 1, when: 'after' });
      const error = await errorOf(backend.deleteObject(CONTEXT, KEY));
      expect(error).to.be.instanceOf(CrashedError);
    });
  });

  it('do what they are told instead, once', async () => {
    await withStore(async (store) => {
      const seen: string[] = [];
      const backend = new CrashPointBackend(store, {
        at: 2,
        when: 'after',
        async action(call) {
          seen.push(`${describeCall(call)}: ${(await textOf(store)) ?? ''}`);
        },
      });
      for (const text of ['a', 'b', 'c']) await backend.putObject(CONTEXT, KEY, inputOf(text));
      expect(seen).to.deep.equal(['putObject bucket/key: b']);
      expect([backend.calls, backend.crashed]).to.deep.equal([3, false]);
    });
  });
});
