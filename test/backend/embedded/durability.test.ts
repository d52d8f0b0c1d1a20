import { dirname } from 'node:path';
import { expect } from 'chai';
import type { EmbeddedStore } from '../../../src/backend/embedded/index.js';
import { failureOf } from '../../support/failure.js';
import { watchSyncs, type Sync } from '../../support/file-syncs.js';
import { bodyFiles, CONTEXT, inputOf, objectRef, seededBytes, withStore } from './support.js';

const SIZE = 300_000;
const INPUT = inputOf(seededBytes(SIZE, 1));

async function isThere(store: EmbeddedStore, name: string): Promise<boolean> {
  return store.headObject(CONTEXT, objectRef(name)).then(
    () => true,
    () => false,
  );
}

/** Syncs of body files and their folders while `work` runs, and whether a reader saw the object. */
async function syncsDuring(
  store: EmbeddedStore,
  directory: string,
  name: string,
  work: () => Promise<unknown>,
): Promise<(Sync & { visible: boolean })[]> {
  const syncs: (Sync & { visible: boolean })[] = [];
  await watchSyncs(async (sync) => {
    if (!sync.path.startsWith(`${directory}/bodies/`)) return;
    syncs.push({ ...sync, visible: await isThere(store, name) });
  }, work);
  return syncs;
}

describe('durability of the embedded store', () => {
  it('syncs a whole body and then its folder, before the object is visible', () =>
    withStore({}, async (store, directory) => {
      const syncs = await syncsDuring(store, directory, 'o', () =>
        store.putObject(CONTEXT, objectRef('o'), INPUT),
      );
      const [path = ''] = await bodyFiles(directory);
      const [body, folder, ...more] = syncs;
      expect(body).to.deep.equal({ what: 'datasync', path, size: SIZE, visible: false });
      expect(folder).to.include({ what: 'sync', path: dirname(path), visible: false });
      expect(more).to.deep.equal([]);
      expect(await isThere(store, 'o')).to.equal(true);
    }));

  it('syncs the folder of a copy that shares its body, before the copy is visible', () =>
    withStore({}, async (store, directory) => {
      await store.putObject(CONTEXT, objectRef('o'), INPUT);
      const before = new Set(await bodyFiles(directory));
      const syncs = await syncsDuring(store, directory, 'copy', () =>
        store.copyObject(CONTEXT, objectRef('o'), objectRef('copy'), {}),
      );
      const [path = ''] = (await bodyFiles(directory)).filter((file) => !before.has(file));
      const folder = syncs.find((sync) => sync.path === dirname(path));
      expect(folder).to.include({ what: 'sync', visible: false });
    }));

  it('makes no object of a body that cannot be synced', () =>
    withStore({}, async (store, directory) => {
      const fail = ({ what }: Sync): void => {
        if (what === 'datasync') throw Object.assign(new Error('EIO'), { code: 'EIO' });
      };
      await watchSyncs(fail, async () => {
        await failureOf(store.putObject(CONTEXT, objectRef('o'), INPUT));
      });
      expect(await isThere(store, 'o')).to.equal(false);
      expect(await bodyFiles(directory)).to.deep.equal([]);
    }));
});
