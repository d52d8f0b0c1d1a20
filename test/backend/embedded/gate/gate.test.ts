import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { openEmbeddedStore, type StoreOpenError } from '../../../../src/backend/embedded/index.js';
import { IndexGate } from '../../../../src/backend/embedded/index-gate.js';
import { layoutOf } from '../../../../src/backend/embedded/layout.js';
import { closeTables, openTables, peek } from '../../../../src/backend/embedded/tables.js';
import { failureOf } from '../../../support/failure.js';
import { removeFolder } from '../../../support/temp-folder.js';
import { useEach } from '../../../support/fixture.js';
import { until } from '../../../support/until.js';
import { BUCKET, CONTEXT, inputOf, objectRef, temporaryDirectory } from '../support.js';
import type { Written } from './actor.js';

const ACTOR = new URL('./actor.js', import.meta.url);
const MAP_BYTES = 2 ** 30;

type Role = 'opener' | 'writer' | 'holder' | 'blocker' | 'thrower';

describe('the gate of the embedded store', function () {
  this.timeout(60_000);
  const children = useEach<ChildProcess[]>(() => []);
  const directory = useEach(temporaryDirectory, removeFolder);

  beforeEach(async () => {
    const store = await openEmbeddedStore({ directory: directory() });
    await store.createContainer(CONTEXT, BUCKET, {});
    await store.close();
  });

  afterEach(async () => {
    await Promise.all(children().map(killed));
  });

  function start(role: Role): ChildProcess {
    const child = fork(ACTOR, [directory(), role], { silent: role === 'thrower' });
    children().push(child);
    return child;
  }

  async function killed(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Stops a process again and again, as a busy machine does: wherever it is at that moment. */
  async function stumble(child: ChildProcess, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      child.kill('SIGSTOP');
      await delay(8);
      child.kill('SIGCONT');
      await delay(3 + (i % 5));
    }
  }

  it('loses no acknowledged commit of two writers beside three processes that open and close', async () => {
    const writers = [start('writer'), start('writer')];
    await Promise.all(writers.map((writer) => once(writer, 'message')));
    const openers = [start('opener'), start('opener'), start('opener')];
    await Promise.all(openers.map((opener) => once(opener, 'message')));
    await Promise.all(openers.map((opener) => stumble(opener, 250)));
    await Promise.all(openers.map(killed));
    const written = await Promise.all(
      writers.map(async (writer) => {
        const told = once(writer, 'message') as Promise<[Written]>;
        writer.send('end');
        return (await told)[0];
      }),
    );
    expect(written.flatMap(({ unseen }) => unseen)).to.deep.equal([]);
    const tables = await openTables(layoutOf(directory()), MAP_BYTES);
    const all = peek(tables.meta, Buffer.from('all'))?.readUIntBE(0, 6);
    await closeTables(tables);
    // A commit that another one overwrote would be missing here.
    expect(all).to.equal(written.reduce((sum, { commits }) => sum + commits, 0));
    expect(all).to.be.above(200);
  });

  it('lets an opener in only when the commits under way have settled', async () => {
    const { index } = layoutOf(directory());
    const commit = new IndexGate(index);
    const opener = new IndexGate(index);
    const later = new IndexGate(index);
    const order: string[] = [];
    expect(commit.enter()).to.equal(undefined);
    const opened = opener.alone(() => order.push('open'));
    // The opener holds the line now: a commit that comes later does not overtake it.
    const entered = later.enter()?.then(() => order.push('commit'));
    expect(entered).to.be.instanceOf(Promise);
    order.push('settled');
    commit.leave();
    await Promise.all([opened, entered]);
    expect(order).to.deep.equal(['settled', 'open', 'commit']);
    for (const gate of [commit, opener, later]) gate.close();
  });

  it('stands before each open and each close of the index', async () => {
    const layout = layoutOf(directory());
    const [commit, other] = [new IndexGate(layout.index), new IndexGate(layout.index)];
    const order: string[] = [];
    /** Begins the work, and lets it go on when it has been seen to wait for a commit. */
    async function behindACommit<T>(name: string, work: () => Promise<T>): Promise<T> {
      expect(commit.enter()).to.equal(undefined);
      const done = work().finally(() => order.push(name));
      const entered = other.enter();
      expect(entered, `${name} is in line`).to.be.instanceOf(Promise);
      order.push('settled');
      commit.leave();
      const result = await done;
      await entered;
      other.leave();
      return result;
    }
    const tables = await behindACommit('open', () => openTables(layout, MAP_BYTES));
    await behindACommit('close', () => closeTables(tables));
    expect(order).to.deep.equal(['settled', 'open', 'settled', 'close']);
    for (const gate of [commit, other]) gate.close();
  });

  it('lets a commit in between two openers', async () => {
    const { index } = layoutOf(directory());
    const gates = Array.from({ length: 3 }, () => new IndexGate(index));
    const [first, second, commit] = gates;
    const order: string[] = [];
    let close: () => void = () => undefined;
    const isOpen = new Promise<void>((resolve) => (close = resolve));
    const openedFirst = first?.alone(() => isOpen.then(() => order.push('first')));
    const openedSecond = second?.alone(() => order.push('second'));
    const entered = commit?.enter()?.then(() => {
      order.push('commit');
      commit.leave();
    });
    close();
    await Promise.all([openedFirst, openedSecond, entered]);
    expect(order).to.deep.equal(['first', 'commit', 'second']);
    for (const gate of gates) gate.close();
  });

  it('stands before the view of a thread', async () => {
    const layout = layoutOf(directory());
    const tables = await openTables(layout, MAP_BYTES);
    const [commit, other] = [new IndexGate(layout.index), new IndexGate(layout.index)];
    expect(commit.enter()).to.equal(undefined);
    const thread = new Worker(new URL('./thread.js', import.meta.url), {
      workerData: layout.index,
    });
    let isOpen = false;
    const opened = once(thread, 'message').then(() => (isOpen = true));
    let entered: Promise<void> | undefined;
    await until(() => {
      entered = other.enter();
      if (entered === undefined) other.leave();
      return isOpen || entered !== undefined;
    });
    expect(isOpen).to.equal(false);
    commit.leave();
    await Promise.all([opened, entered]);
    other.leave();
    await thread.terminate();
    await closeTables(tables);
    for (const gate of [commit, other]) gate.close();
  });

  it('is free again when the process that held it is killed', async () => {
    const store = await openEmbeddedStore({ directory: directory() });
    const holder = start('holder');
    await once(holder, 'message');
    let isStored = false;
    const stored = store.putObject(CONTEXT, objectRef('kept'), inputOf(Buffer.from('1')));
    void stored.then(() => (isStored = true));
    // A look at the store needs no gate.
    await store.headContainer(CONTEXT, BUCKET);
    expect(isStored).to.equal(false);
    await killed(holder);
    expect((await stored).outcome).to.equal('created');
    await store.close();
  });

  it('ends at once when it fails inside of a commit, and lets others write', async () => {
    const [blocker, thrower] = [start('blocker'), start('thrower')];
    await Promise.all([blocker, thrower].map((child) => once(child, 'message')));
    let said = '';
    thrower.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    const exited = once(thrower, 'close');
    const locked = once(blocker, 'message');
    blocker.send('block');
    await locked;
    thrower.send('throw');
    expect(await exited).to.deep.equal([null, 'SIGKILL']);
    expect(said).to.match(/thrown inside of a commit/);
    const store = await openEmbeddedStore({ directory: directory() });
    const put = await store.putObject(CONTEXT, objectRef('after'), inputOf(Buffer.from('1')));
    expect(put.outcome).to.equal('created');
    await store.close();
  });

  it('tells who waited, and fails what waits too long, with nothing half done', async () => {
    const { index } = layoutOf(directory());
    const waits: string[] = [];
    const holder = new IndexGate(index);
    const waiting = new IndexGate(index, (waiter) => waits.push(waiter));
    const impatient = new IndexGate(index, undefined, 10);
    let letGo: () => void = () => undefined;
    const held = holder.alone(() => new Promise<void>((resolve) => (letGo = resolve)));
    expect(await failureOf(Promise.resolve(impatient.enter()))).to.include({ code: 'Unavailable' });
    expect(await failureOf(impatient.alone(() => undefined))).to.include({ code: 'unavailable' });
    const entered = waiting.enter();
    letGo();
    await Promise.all([held, entered]);
    waiting.leave();
    expect(waits).to.deep.equal(['commit']);
    // The calls that failed hold nothing back.
    await impatient.alone(() => undefined);
    for (const gate of [holder, waiting, impatient]) gate.close();
  });

  it('opens for many processes at once, while another one commits', async () => {
    const writer = start('writer');
    await once(writer, 'message');
    const openers = Array.from({ length: 8 }, () => start('opener'));
    await Promise.all(openers.map((opener) => once(opener, 'message')));
    const told = once(writer, 'message') as Promise<[Written]>;
    writer.send('end');
    expect((await told)[0].unseen).to.deep.equal([]);
  });

  it('takes over a store of an earlier build, which then refuses it', async () => {
    const format = join(directory(), 'FORMAT');
    await writeFile(format, 'ringway embedded store, format 1\n');
    await (await openEmbeddedStore({ directory: directory() })).close();
    expect(await readFile(format, 'utf8')).to.equal('ringway embedded store, format 2\n');
  });

  it('refuses a store that a process of an earlier build has open', async () => {
    const opener = start('writer');
    await once(opener, 'message');
    // Such a process differs only in not knowing the gate.
    await writeFile(join(directory(), 'FORMAT'), 'ringway embedded store, format 1\n');
    const error = await failureOf(openEmbeddedStore({ directory: directory() }));
    expect(error).to.include({ code: 'in_use' });
    expect((error as StoreOpenError).message).to.match(
      /process of an earlier build.*stop that service first/,
    );
    await killed(opener);
    await (await openEmbeddedStore({ directory: directory() })).close();
  });
});
