import { copyFile, rename, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type EmbeddedStore, openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { IndexGate } from '../../../src/backend/embedded/index-gate.js';
import { compactIndex } from '../../../src/backend/embedded/upkeep/compact.js';
import { eventually } from '../../support/eventually.js';
import { failureOf } from '../../support/failure.js';
import {
  openFilesIn,
  CONTEXT,
  inputOf,
  objectRef,
  readAll,
  seededBytes,
  withStore,
} from './support.js';

describe('the compaction of the index', () => {
  it('gives back the room of what was deleted, and keeps the rest', async () => {
    await withStore({}, async (store, directory) => {
      const names = Array.from({ length: 200 }, (_, n) => `object-${n}`);
      await Promise.all(
        names.map((name) =>
          store.putObject(CONTEXT, objectRef(name), inputOf(seededBytes(20_000, 1))),
        ),
      );
      await Promise.all(names.slice(1).map((name) => store.deleteObject(CONTEXT, objectRef(name))));
      expect(await failureOf(compactIndex(directory))).to.include({ code: 'in_use' });
      await store.close();
      const { bytesBefore, bytesAfter } = await compactIndex(directory);
      expect(bytesAfter).to.be.below(bytesBefore / 10);
      expect((await stat(join(directory, 'index.mdb'))).size).to.equal(bytesAfter);
      const again = await openEmbeddedStore({ directory });
      expect(await readAll(again, 'object-0')).to.deep.equal(seededBytes(20_000, 1));
      await again.putObject(CONTEXT, objectRef('new'), inputOf(seededBytes(20_000, 2)));
      await again.close();
    });
  });

  it('leaves an index alone that cannot be read', async () => {
    await withStore({}, async (store, directory) => {
      await store.close();
      await truncate(join(directory, 'index.mdb'), 10);
      expect(await failureOf(compactIndex(directory))).to.include({ code: 'corrupt' });
      expect((await stat(join(directory, 'index.mdb'))).size).to.equal(10);
    });
  });

  it('lets no opener work on an index that was replaced while it waited', async () => {
    await withStore({}, async (store, directory) => {
      await store.putObject(CONTEXT, objectRef('a'), inputOf(seededBytes(10, 1)));
      await store.close();
      const index = join(directory, 'index.mdb');
      const gate = new IndexGate(index);
      let opening: Promise<EmbeddedStore> | undefined;
      await gate.alone(async () => {
        opening = openEmbeddedStore({ directory });
        await eventually(
          () => openFilesIn(index),
          (count) => count === 2,
        );
        await copyFile(index, `${index}.new`);
        await rename(`${index}.new`, index);
      });
      gate.close();
      const again = await opening;
      expect(await openFilesIn(`${index} (deleted)`)).to.equal(0);
      expect(again && (await readAll(again, 'a'))).to.deep.equal(seededBytes(10, 1));
      await again?.close();
    });
  });
});
