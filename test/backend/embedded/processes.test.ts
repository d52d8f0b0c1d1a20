import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { type EmbeddedStore, openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { removeFolder } from '../../support/temp-folder.js';
import { useOnce } from '../../support/fixture.js';
import type { Request } from './contender.js';
import { findProblems } from './crash/check.js';
import { observe } from './crash/observe.js';
import { BUCKET, CONTEXT, inputOf, objectRef, readAll, temporaryDirectory } from './support.js';

const CONTENDER = new URL('./contender.js', import.meta.url);

describe('embedded store shared by processes', () => {
  const directory = useOnce(temporaryDirectory, removeFolder);
  let store: EmbeddedStore;
  let contenders: ChildProcess[];

  before(async () => {
    store = await openEmbeddedStore({ directory: directory() });
    await store.createContainer(CONTEXT, BUCKET, {});
    contenders = ['x', 'y'].map((who) => fork(CONTENDER, [directory(), who]));
    await Promise.all(contenders.map((contender) => once(contender, 'message')));
  });

  after(async () => {
    for (const contender of contenders) contender.kill();
    await store.close();
  });

  async function ask(contender: ChildProcess | undefined, request: Request): Promise<number[]> {
    if (contender === undefined) throw new Error('no contender');
    const answered = once(contender, 'message') as Promise<[{ result: number[] | null }]>;
    contender.send(request);
    return (await answered)[0].result ?? [];
  }

  function askAll(request: Request): Promise<number[][]> {
    return Promise.all(contenders.map((contender) => ask(contender, request)));
  }

  for (const size of [100, 100_000]) {
    it(`lets one of racing creators win each name, ${size} bytes`, async () => {
      const count = 60;
      const wins = await askAll({ task: 'create', count, size });
      const all = wins.flat().sort((a, b) => a - b);
      expect(all).to.deep.equal(Array.from({ length: count }, (_, i) => i));
      for (const [winner, who] of ['x', 'y'].entries()) {
        for (const i of wins[winner] ?? []) {
          expect((await readAll(store, `race/${i}`)).equals(Buffer.alloc(size, who))).to.be.true;
        }
      }
      for (let i = 0; i < count; i++) await store.deleteObject(CONTEXT, objectRef(`race/${i}`));
    });
  }

  it('loses no step of a compare-and-swap', async () => {
    await store.putObject(CONTEXT, objectRef('counter'), inputOf(Buffer.from('0')));
    await askAll({ task: 'count', count: 50 });
    expect((await readAll(store, 'counter')).toString()).to.equal('100');
    await store.deleteObject(CONTEXT, objectRef('counter'));
  });

  it('shows at once what another process has been told is stored', async () => {
    for (let i = 0; i < 100; i++) {
      const text = String(i);
      const [asked] = [ask(contenders[i % 2], { task: 'put', name: 'seen', text })];
      // Reads on the way, so that a snapshot from before the write is at hand.
      void store.listObjects(CONTEXT, BUCKET, { limit: 1 });
      await asked;
      expect((await readAll(store, 'seen')).toString()).to.equal(text);
    }
    await store.deleteObject(CONTEXT, objectRef('seen'));
  });

  it('notices that another process made a container anew', async () => {
    const ref = { account: 'AUTH_test', container: 'again' };
    const second = await openEmbeddedStore({ directory: directory() });
    for (const text of ['1', '2']) {
      await store.createContainer(CONTEXT, ref, {});
      for (const each of [store, second]) {
        await each.putObject(CONTEXT, { ...ref, object: text }, inputOf(Buffer.from(text)));
        expect((await each.headObject(CONTEXT, { ...ref, object: text })).size).to.equal(1);
      }
      await second.deleteObject(CONTEXT, { ...ref, object: text });
      await second.deleteContainer(CONTEXT, ref);
    }
    await second.close();
  });

  it('keeps counts, rows and files exact while all write the same names', async () => {
    await askAll({ task: 'churn', count: 100 });
    const exits = contenders.map((contender) => once(contender, 'exit'));
    for (const contender of contenders) contender.send({ task: 'close' } satisfies Request);
    expect(await Promise.all(exits)).to.deep.equal([
      [0, null],
      [0, null],
    ]);
    const state = await observe(store, directory());
    expect(state.objects.size).to.be.above(0);
    // The bytes do not follow from a seed here: whether they are whole is looked at below.
    const objects = new Map(
      [...state.objects].map(
        ([name, { size }]) => [name, { size, seed: 0, intact: true }] as const,
      ),
    );
    const expected = new Map([...objects].map(([name, object]) => [name, [object]] as const));
    expect(findProblems({ ...state, objects }, expected)).to.deep.equal([]);
    store = await openEmbeddedStore({ directory: directory() });
    for (const name of objects.keys()) {
      const bytes = await readAll(store, name);
      const uniform = ['x', 'y'].some((who) => bytes.equals(Buffer.alloc(bytes.length, who)));
      expect(uniform, name).to.be.true;
    }
  });
});
