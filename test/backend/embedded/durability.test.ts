import { fstatSync, readlinkSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect } from 'chai';
import type { EmbeddedStore } from '../../../src/backend/embedded/index.js';
import {
  bodyFiles,
  CONTEXT,
  failureOf,
  inputOf,
  objectRef,
  seededBytes,
  withStore,
} from './support.js';

const SIZE = 300_000;

/** What was synced, with how many bytes the file had by then, and whether a reader saw the object. */
interface Sync {
  readonly what: 'datasync' | 'sync';
  readonly path: string;
  readonly size: number;
  readonly visible: boolean;
}

type Syncs = Record<'datasync' | 'sync', (this: FileHandle) => Promise<void>>;

/**
 * Records syncs of body files and their folders while `work` runs. A killed process keeps the pages
 * of its files, so that no test that kills one can show a sync that is missing.
 */
async function syncsDuring(
  directory: string,
  isVisible: () => Promise<boolean>,
  work: () => Promise<unknown>,
): Promise<Sync[]> {
  const prototype = await handlePrototype(directory);
  const syncs: Sync[] = [];
  const originals = { datasync: prototype.datasync, sync: prototype.sync };
  for (const what of ['datasync', 'sync'] as const) {
    prototype[what] = async function (this: FileHandle) {
      const path = readlinkSync(`/proc/self/fd/${this.fd}`);
      const { size } = fstatSync(this.fd);
      const visible = await isVisible();
      await originals[what].call(this);
      if (path.startsWith(`${directory}/bodies/`)) syncs.push({ what, path, size, visible });
    };
  }
  try {
    await work();
  } finally {
    Object.assign(prototype, originals);
  }
  return syncs;
}

describe('durability of the embedded store', () => {
  const isThere = (store: EmbeddedStore, name: string) => async (): Promise<boolean> => {
    const head = store.headObject(CONTEXT, objectRef(name));
    return head.then(
      () => true,
      () => false,
    );
  };

  it('syncs a whole body and then its folder, before anybody can see the object', () =>
    withStore({}, async (store, directory) => {
      const syncs = await syncsDuring(directory, isThere(store, 'o'), () =>
        store.putObject(CONTEXT, objectRef('o'), inputOf(seededBytes(SIZE, 1))),
      );
      const [path = ''] = await bodyFiles(directory);
      expect(syncs.map(({ size, ...sync }) => (sync.what === 'sync' ? sync : { ...sync, size }))) //
        .to.deep.equal([
          { what: 'datasync', path, size: SIZE, visible: false },
          { what: 'sync', path: dirname(path), visible: false },
        ]);
      expect(await isThere(store, 'o')()).to.equal(true);
    }));

  it('syncs the folder of a copy that shares its body, before anybody can see the copy', () =>
    withStore({}, async (store, directory) => {
      await store.putObject(CONTEXT, objectRef('o'), inputOf(seededBytes(SIZE, 1)));
      const before = new Set(await bodyFiles(directory));
      const syncs = await syncsDuring(directory, isThere(store, 'copy'), () =>
        store.copyObject(CONTEXT, objectRef('o'), objectRef('copy'), {}),
      );
      const [path = ''] = (await bodyFiles(directory)).filter((file) => !before.has(file));
      const { what, visible } = syncs.find((sync) => sync.path === dirname(path))!;
      expect({ what, visible }).to.deep.equal({ what: 'sync', visible: false });
    }));

  it('makes no object of a body that cannot be synced', () =>
    withStore({}, async (store, directory) => {
      const prototype = await handlePrototype(directory);
      const originals = { datasync: prototype.datasync, sync: prototype.sync };
      prototype.datasync = () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }));
      try {
        const put = store.putObject(CONTEXT, objectRef('o'), inputOf(seededBytes(SIZE, 1)));
        await failureOf(put);
      } finally {
        Object.assign(prototype, originals);
      }
      expect(await isThere(store, 'o')()).to.equal(false);
      expect(await bodyFiles(directory)).to.deep.equal([]);
    }));
});

/** The methods that all file handles of this process share. */
async function handlePrototype(directory: string): Promise<Syncs> {
  const handle = await open(directory);
  await handle.close();
  return Object.getPrototypeOf(handle) as Syncs;
}
