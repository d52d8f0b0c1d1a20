import { expect } from 'chai';
import { BackendError } from '../../../src/backend/errors.js';
import { ContainerIds } from '../../../src/backend/embedded/container-ids.js';
import { CommitQueue, UncertainCommitError } from '../../../src/backend/embedded/commit-queue.js';
import type { IndexGate } from '../../../src/backend/embedded/index-gate.js';
import type { StoreDeps } from '../../../src/backend/embedded/deps.js';
import { withBodyFile } from '../../../src/backend/embedded/replacements.js';
import type { Tables } from '../../../src/backend/embedded/tables.js';
import { codeOf, errorOf } from '../../support/failure.js';
import { CONTEXT, inputOf, objectRef, withStore } from './support.js';

describe('group commit', () => {
  it('lets concurrent puts share a sync, and each waits for its own', async () => {
    const batches: number[] = [];
    const onSync = (seconds: number, batch: number): void => {
      expect(seconds).to.be.above(0);
      batches.push(batch);
    };
    await withStore({ onSync }, async (store) => {
      batches.length = 0;
      let settled = 0;
      await Promise.all(
        Array.from({ length: 64 }, async (_, i) => {
          await store.putObject(CONTEXT, objectRef(`o${i}`), inputOf(Buffer.alloc(100)));
          settled++;
          const synced = batches.reduce((sum, batch) => sum + batch, 0);
          expect(settled, 'acknowledged before its sync').to.be.at.most(synced);
        }),
      );
      expect(batches.length).to.be.below(32);
      expect(batches.reduce((sum, batch) => sum + batch, 0)).to.equal(64);
    });
  });

  it('fails one operation without the others of its transaction', async () => {
    await withStore({}, async (store) => {
      const missing = { ...objectRef('o'), container: 'missing' };
      const results = await Promise.allSettled([
        store.putObject(CONTEXT, objectRef('a'), inputOf(Buffer.of(1))),
        store.putObject(CONTEXT, missing, inputOf(Buffer.of(1))),
        store.putObject(CONTEXT, objectRef('b'), inputOf(Buffer.of(1))),
      ]);
      const statuses = results.map(({ status }) => status);
      expect(statuses).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    });
  });

  /** A queue over an LMDB whose transactions end as told. */
  function queueOver(
    transaction: (run: () => void) => Promise<void>,
    freeBytes = Infinity,
    gate: Pick<IndexGate, 'enter' | 'leave'> = { enter: () => undefined, leave: () => undefined },
    beginLimitMs?: number,
  ): CommitQueue {
    const tables = { root: { transaction }, gate } as unknown as Tables;
    return new CommitQueue(
      tables,
      new ContainerIds(tables),
      () => Promise.resolve(freeBytes),
      undefined,
      beginLimitMs,
    );
  }

  function failedCommit(code: number): Error {
    const reason = Object.assign(new Error(`code ${code}`), { code });
    return Object.assign(new Error('Commit failed'), { commitError: Promise.reject(reason) });
  }

  it('holds the gate from before a transaction begins until it has settled', async () => {
    const order: string[] = [];
    const transaction = async (run: () => void): Promise<void> => {
      order.push('begins');
      run();
      await Promise.resolve();
      order.push('settles');
    };
    const gate = {
      enter: () => Promise.resolve().then(() => void order.push('enters')),
      leave: () => void order.push('leaves'),
    };
    const queue = queueOver(transaction, Infinity, gate);
    await queue.run(() => undefined);
    await queue.idle();
    expect(order).to.deep.equal(['enters', 'begins', 'settles', 'leaves']);
  });

  it('rejects all operations when the gate does not open, and goes on when it does', async () => {
    let isShut = true;
    const gate = {
      enter: () =>
        isShut ? Promise.reject(new BackendError('Unavailable', 'the gate is held')) : undefined,
      leave: () => undefined,
    };
    const queue = queueOver(
      (run) => {
        run();
        return Promise.resolve();
      },
      Infinity,
      gate,
    );
    expect(await errorOf(queue.run(() => 1))).to.include({ message: 'the gate is held' });
    isShut = false;
    expect(await queue.run(() => 2)).to.equal(2);
  });

  it('gives up a transaction that does not begin, and does nothing when it does so later', async () => {
    let begin: () => void = () => undefined;
    const order: string[] = [];
    const queue = queueOver(
      (run) =>
        new Promise((resolve) => {
          begin = () => {
            run();
            resolve();
          };
        }),
      Infinity,
      { enter: () => undefined, leave: () => void order.push('leaves') },
      1,
    );
    const error = await errorOf(queue.run(() => order.push('runs')));
    expect(error).to.be.instanceOf(UncertainCommitError);
    expect(String(error)).to.match(/has begun no transaction.*has to be opened again/);
    expect(await errorOf(queue.run(() => order.push('runs')))).to.equal(error);
    await queue.idle();
    begin();
    expect(order).to.deep.equal(['leaves']);
  });

  it('rejects all operations of a transaction that found no room, and goes on', async () => {
    let full = true;
    const queue = queueOver((run) => {
      run();
      return full ? Promise.reject(failedCommit(28)) : Promise.resolve();
    });
    const results = await Promise.all([1, 2].map((i) => errorOf(queue.run(() => i))));
    for (const error of results) expect(error).to.have.property('code', 'StorageFull');
    full = false;
    expect(await queue.run(() => 3)).to.equal(3);
    await queue.idle();
  });

  it('takes EIO for a full device only where there is no room', async () => {
    const fail = (run: () => void): Promise<void> => {
      run();
      return Promise.reject(failedCommit(5));
    };
    expect(await codeOf(queueOver(fail, 0).run(() => 1))).to.equal('StorageFull');
    const broken = await errorOf(queueOver(fail).run(() => 1));
    expect(broken).to.be.instanceOf(UncertainCommitError).with.property('code', 'Unavailable');
  });

  it('stops for good when a commit is uncertain', async () => {
    let calls = 0;
    const queue = queueOver((run) => {
      calls++;
      run();
      return Promise.reject(failedCommit(5));
    });
    expect(await errorOf(queue.run(() => 1))).to.be.instanceOf(UncertainCommitError);
    expect(await errorOf(queue.run(() => 2))).to.be.instanceOf(UncertainCommitError);
    expect(calls).to.equal(1);
  });

  it('keeps the file of a body whose commit is in doubt, and removes that of one that failed', async () => {
    const unlinked: number[] = [];
    const parts = {
      reservations: { take: () => Promise.resolve(7), give: () => undefined },
      files: { unlink: (bodyId: number) => Promise.resolve(unlinked.push(bodyId)) },
    } as unknown as StoreDeps;
    const failed = new BackendError('Unavailable', 'no');
    for (const [error, expected] of [
      [new UncertainCommitError(failed), []],
      [failed, [7]],
    ] as const) {
      const commit = () => Promise.reject(error);
      expect(await errorOf(withBodyFile(parts, commit, () => true))).to.equal(error);
      expect(unlinked).to.deep.equal(expected);
    }
  });

  it('rejects what waits when a transaction cannot begin', async () => {
    const queue = queueOver(() => Promise.reject(new Error('closed')));
    expect(await errorOf(queue.run(() => 1))).to.be.instanceOf(BackendError);
    await queue.idle();
  });
});
