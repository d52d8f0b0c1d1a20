import { readFileSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { SpaceGuard } from '../../../src/backend/embedded/space-guard.js';
import type { BackendError } from '../../../src/backend/errors.js';
import { type EmbeddedStore, openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import {
  bodyFiles,
  BUCKET,
  CONTEXT,
  inputOf,
  objectRef,
  readAll,
  seededBytes,
  temporaryDirectory,
} from './support.js';
import { mountTmpfs } from './tmpfs.js';
import { codeOf } from '../../support/failure.js';
import { skipBecause } from '../../support/skip.js';

const MIB = 1024 * 1024;

describe('room that is kept for deletes', () => {
  it('is for what deletes, and for nothing else', async () => {
    const guard = new SpaceGuard('/', Infinity);
    expect(await codeOf(guard.admit(undefined, 1, false))).to.equal('StorageFull');
    await guard.admit('deletion', 1, false);
    await guard.admit('deletion', 1, true);
  });
});

describe('embedded store on a full device', () => {
  let directory: string;
  let mount: { unmount(): void } | undefined;
  let store: EmbeddedStore;
  const stored = new Map<string, Buffer>();

  before(async function () {
    directory = await temporaryDirectory();
    mount = mountTmpfs(directory, 'size=24m');
    if (mount !== undefined) return;
    await rm(directory, { recursive: true });
    skipBecause(this, 'a full device needs a tmpfs of its own, and this process cannot mount');
  });

  after(async () => {
    if (mount === undefined) return;
    await store.close();
    mount.unmount();
    await rm(directory, { recursive: true });
  });

  async function open(reserveBytes: number): Promise<void> {
    const options = { directory, openFreeBytesMin: 0, reserveBytes, unlinkDelayMs: 0 };
    store = await openEmbeddedStore(options);
    await store.createContainer(CONTEXT, BUCKET, {});
  }

  function freeBytes(): number {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  }

  /** Puts until the store says that it is full; whatever was acknowledged is remembered. */
  async function fill(prefix: string, size: number): Promise<BackendError> {
    for (let i = 0; ; i++) {
      const name = `${prefix}/${i}`;
      const bytes = seededBytes(size, i);
      try {
        await store.putObject(CONTEXT, objectRef(name), inputOf(bytes));
        stored.set(name, bytes);
      } catch (error) {
        return error as BackendError;
      }
    }
  }

  async function expectAllStored(): Promise<void> {
    const { entries } = await store.listObjects(CONTEXT, BUCKET, { limit: 10_000 });
    const names = entries.map((entry) => entry.kind === 'object' && entry.object.name);
    expect(names).to.have.members([...stored.keys()]);
    for (const [name, bytes] of stored)
      expect((await readAll(store, name)).equals(bytes)).to.be.true;
    const { objectCount } = await store.headContainer(CONTEXT, BUCKET);
    expect(objectCount).to.equal(stored.size);
    const large = [...stored.values()].filter((bytes) => bytes.length > 65_536);
    expect(await bodyFiles(directory)).to.have.length(large.length);
  }

  it('refuses in time, with room left for deletes', async () => {
    await open(4 * MIB);
    expect(await fill('early', 2 * MIB)).to.have.property('code', 'StorageFull');
    expect(freeBytes()).to.be.above(3 * MIB);
    await expectAllStored();
    for (const name of stored.keys()) await store.deleteObject(CONTEXT, objectRef(name));
    stored.clear();
    await store.close();
    expect(await bodyFiles(directory)).to.deep.equal([]);
  });

  it('refuses a body of unknown size in time', async () => {
    await open(4 * MIB);
    const free: number[] = [];
    async function* body(): AsyncGenerator<Buffer> {
      const chunk = seededBytes(MIB / 4, 1);
      for (let sent = 0; sent < 48 * MIB; sent += chunk.length) {
        free.push(freeBytes());
        yield await Promise.resolve(chunk);
      }
    }
    const input = { size: undefined, contentType: 'text/plain', body: body() };
    const refused = store.putObject(CONTEXT, objectRef('endless'), input);
    expect(await codeOf(refused)).to.equal('StorageFull');
    expect(free.length).to.be.above(8);
    expect(Math.min(...free)).to.be.above(3 * MIB);
    await expectAllStored();
    await store.close();
    expect(await bodyFiles(directory)).to.deep.equal([]);
  });

  it('loses nothing when a body file does not fit, and goes on when there is room', async () => {
    await open(-Infinity);
    expect(await fill('file', 3 * MIB)).to.have.property('code', 'StorageFull');
    expect(stored.size).to.be.above(3);
    await expectAllStored();
    const [first = ''] = stored.keys();
    await store.deleteObject(CONTEXT, objectRef(first));
    stored.delete(first);
    await store.close();
    await open(-Infinity);
    const bytes = seededBytes(2 * MIB, 99);
    await store.putObject(CONTEXT, objectRef('again'), inputOf(bytes));
    stored.set('again', bytes);
    await expectAllStored();
  });

  it('loses nothing when a commit does not fit, and goes on when there is room', async () => {
    const ballast = join(directory, 'ballast');
    writeFileSync(ballast, Buffer.alloc(Math.max(0, freeBytes() - 256 * 1024)));
    expect(await fill('inline', 60_000)).to.have.property('code', 'StorageFull');
    await expectAllStored();
    // A store of an earlier build is taken over without a free block.
    await store.close();
    const format = join(directory, 'FORMAT');
    writeFileSync(format, readFileSync(format, 'utf8').replace('format 2', 'format 1'));
    const more = join(directory, 'more');
    writeFileSync(more, Buffer.alloc(freeBytes()));
    store = await openEmbeddedStore({ directory, openFreeBytesMin: 0, reserveBytes: -Infinity });
    expect(freeBytes()).to.equal(0);
    expect(readFileSync(format, 'utf8')).to.contain('format 2');
    await expectAllStored();
    unlinkSync(more);
    unlinkSync(ballast);
    const bytes = seededBytes(60_000, 77);
    await store.putObject(CONTEXT, objectRef('inline/last'), inputOf(bytes));
    stored.set('inline/last', bytes);
    await expectAllStored();
    await store.close();
    await open(-Infinity);
    await expectAllStored();
    await store.close();
  });
});
