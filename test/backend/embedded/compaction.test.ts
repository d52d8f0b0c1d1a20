import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { compactIndex } from '../../../src/backend/embedded/upkeep/compact.js';
import {
  CONTEXT,
  failureOf,
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

  it('lets no opener work on the index that it has replaced', async () => {
    await withStore({}, async (store, directory) => {
      await store.close();
      const [, again] = await Promise.all([
        compactIndex(directory),
        openEmbeddedStore({ directory }),
      ]);
      await again.putObject(CONTEXT, objectRef('a'), inputOf(seededBytes(10, 1)));
      await again.close();
      const last = await openEmbeddedStore({ directory });
      expect(await readAll(last, 'a')).to.deep.equal(seededBytes(10, 1));
      await last.close();
    });
  });
});
