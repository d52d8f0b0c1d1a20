import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { BackendError } from '../../../src/backend/errors.js';
import { BodyFiles } from '../../../src/backend/embedded/body-files.js';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { layoutOf } from '../../../src/backend/embedded/layout.js';
import {
  decodeIdentity,
  encodeIdentity,
  isAlive,
  ownIdentity,
} from '../../../src/backend/embedded/process-identity.js';
import { recover } from '../../../src/backend/embedded/recovery.js';
import { closeTables, openTables } from '../../../src/backend/embedded/tables.js';
import {
  bodyFiles,
  CONTEXT,
  inputOf,
  objectRef,
  readAll,
  seededBytes,
  withStore,
} from './support.js';

const HALF_WAY = new URL('./half-way.js', import.meta.url);

describe('recovery of the embedded store', () => {
  it('finds nothing to do after a clean close', async () => {
    await withStore({}, async (store, directory) => {
      await store.putObject(CONTEXT, objectRef('a'), inputOf(seededBytes(100_000, 1)));
      await store.putObject(CONTEXT, objectRef('a'), inputOf(seededBytes(100_000, 2)));
      await store.close();
      const again = await openEmbeddedStore({ directory });
      const report = await again.recover();
      expect(report).to.include({ bodiesReclaimed: 0, bodiesInUse: 0 });
      expect(await readAll(again, 'a')).to.deep.equal(seededBytes(100_000, 2));
      expect(await bodyFiles(directory)).to.have.length(1);
      await again.close();
    });
  });

  let child: ChildProcess | undefined;

  afterEach(() => child?.kill('SIGKILL'));

  /** A process that is in the middle of its work. @returns kills it */
  async function startHalfWay(directory: string): Promise<() => Promise<unknown>> {
    const started = fork(HALF_WAY, [directory]);
    child = started;
    await once(started, 'message');
    return () => {
      started.kill('SIGKILL');
      return once(started, 'exit');
    };
  }

  it('leaves the living alone, and clears up after the dead', async () => {
    await withStore({}, async (store, directory) => {
      const kill = await startHalfWay(directory);
      // The child has replaced an object, whose old file waits, and is in the middle of an upload.
      expect(await bodyFiles(directory)).to.have.length(3);
      const during = await store.recover();
      expect(during.bodiesReclaimed).to.equal(0);
      expect(during.bodiesInUse).to.be.above(1);
      expect(await bodyFiles(directory)).to.have.length(3);
      await kill();
      const after = await store.recover();
      expect(after.bodiesReclaimed).to.equal(during.bodiesInUse);
      expect(after.bodiesInUse).to.equal(0);
      expect(await bodyFiles(directory)).to.have.length(1);
      expect(await readAll(store, 'replaced')).to.deep.equal(seededBytes(100_000, 2));
    });
  });

  it('leaves what a full device does not let it do to the next one', async () => {
    await withStore({}, async (store, directory) => {
      await store.close();
      const kill = await startHalfWay(directory);
      await kill();
      const layout = layoutOf(directory);
      const tables = await openTables(layout, 2 ** 30);
      const files = new BodyFiles(layout);
      const full = { run: () => Promise.reject(new BackendError('StorageFull', 'full')) };
      const report = await recover(tables, files, full, ownIdentity());
      expect(report).to.include({ bodiesReclaimed: 0, bodiesInUse: 0 });
      await files.close();
      await closeTables(tables);
      const again = await openEmbeddedStore({ directory });
      expect((await again.recover()).bodiesReclaimed).to.be.above(1);
      expect(await bodyFiles(directory)).to.have.length(1);
      await again.close();
    });
  });
});

describe('the identity of a process', () => {
  const own = ownIdentity();

  it('survives its row', () => {
    expect(decodeIdentity(encodeIdentity(own))).to.deep.equal(own);
    expect(decodeIdentity(Buffer.from('damaged'))).to.equal(undefined);
  });

  it('tells the living from the dead, from later ones, and from other boots', async () => {
    expect(isAlive(own, own.bootId)).to.be.true;
    expect(isAlive({ ...own, startTicks: own.startTicks - 1 }, own.bootId)).to.be.false;
    expect(isAlive(own, 'another-boot')).to.be.false;
    const child = spawn(process.execPath, ['--eval', '']);
    const { pid = 0 } = child;
    await once(child, 'exit');
    expect(isAlive({ ...own, pid }, own.bootId)).to.be.false;
  });
});
