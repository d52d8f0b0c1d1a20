import { readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { codeOf, failureOf } from '../../support/failure.js';
import {
  bodyFiles,
  CONTEXT,
  inputOf,
  objectRef,
  putSeeded,
  readAll,
  SEEDED_BYTES,
  seededBytes,
  withStore,
} from './support.js';

const CHUNK = 256 * 1024;

describe('body files of the embedded store', () => {
  it('hold bodies above the threshold, and only those', async () => {
    await withStore({ inlineBodyBytesMax: 1000 }, async (store, directory) => {
      await putSeeded(store, 'inline', 1, 1000);
      expect(await bodyFiles(directory)).to.deep.equal([]);
      await putSeeded(store, 'file', 1, 1001);
      const [path = ''] = await bodyFiles(directory);
      expect(readFileSync(path).equals(seededBytes(1001, 1))).to.be.true;
    });
  });

  it('are gone after overwrite, delete and failed puts', async () => {
    const options = { unlinkDelayMs: 0 };
    await withStore(options, async (store, directory) => {
      await putSeeded(store, 'kept', 1);
      await putSeeded(store, 'kept', 2);
      await putSeeded(store, 'deleted', 3);
      await store.deleteObject(CONTEXT, objectRef('deleted'));
      await putSeeded(store, 'shrunk', 4);
      await putSeeded(store, 'shrunk', 5, 10);
      const short = { ...inputOf(seededBytes(SEEDED_BYTES, 6)), size: SEEDED_BYTES + 1 };
      await failureOf(store.putObject(CONTEXT, objectRef('failed'), short));
      const taken = inputOf(seededBytes(SEEDED_BYTES, 7));
      await store.putObject(CONTEXT, objectRef('kept'), taken, { absent: true });
      await store.close();
      const left = (await bodyFiles(directory)).map((path) => readFileSync(path));
      expect(left).to.deep.equal([seededBytes(SEEDED_BYTES, 2)]);
    });
  });

  it('that end early are Corrupt, and never passed as whole', async () => {
    await withStore({ readChunkBytes: CHUNK }, async (store, directory) => {
      await putSeeded(store, 'object', 1);
      const [path = ''] = await bodyFiles(directory);
      for (const length of [SEEDED_BYTES - 1, CHUNK, 0]) {
        truncateSync(path, length);
        expect(await codeOf(readAll(store, 'object'))).to.equal('Corrupt');
      }
    });
  });

  it('that are missing are Corrupt', async () => {
    await withStore({}, async (store, directory) => {
      await putSeeded(store, 'object', 1);
      unlinkSync((await bodyFiles(directory))[0] ?? '');
      expect(await codeOf(readAll(store, 'object'))).to.equal('Corrupt');
    });
  });

  it('that are open stay readable after they are unlinked', async () => {
    await withStore({ readChunkBytes: CHUNK, unlinkDelayMs: 0 }, async (store, directory) => {
      await putSeeded(store, 'object', 1);
      const { body } = await store.getObject(CONTEXT, objectRef('object'));
      const chunks: Buffer[] = [];
      for await (const chunk of body.source as AsyncIterable<Buffer>) {
        if (chunks.length === 0) unlinkSync((await bodyFiles(directory))[0] ?? '');
        chunks.push(Buffer.from(chunk));
      }
      expect(Buffer.concat(chunks).equals(seededBytes(SEEDED_BYTES, 1))).to.be.true;
    });
  });

  it('give a chunk that is overwritten only when the next one is asked for', async () => {
    await withStore({ readChunkBytes: CHUNK }, async (store) => {
      await putSeeded(store, 'object', 1);
      const { body } = await store.getObject(CONTEXT, objectRef('object'));
      const wanted = seededBytes(SEEDED_BYTES, 1);
      let at = 0;
      for await (const chunk of body.source as AsyncIterable<Buffer>) {
        // Lets the read ahead finish, which must not touch this chunk.
        await readAll(store, 'object');
        expect(chunk.equals(wanted.subarray(at, at + chunk.length))).to.be.true;
        at += chunk.length;
      }
      expect(at).to.equal(SEEDED_BYTES);
    });
  });

  it('survive an orphan in their place: a file without a row is never overwritten', async () => {
    await withStore({}, async (store, directory) => {
      await putSeeded(store, 'first', 1);
      const [path = ''] = await bodyFiles(directory);
      const id = parseInt(path.slice(-12), 16) + 1;
      const folder = (id % 256).toString(16).padStart(2, '0');
      const next = `${directory}/bodies/${folder}/${id.toString(16).padStart(12, '0')}`;
      writeFileSync(next, 'not ours');
      expect(await codeOf(putSeeded(store, 'second', 2))).to.equal('Unavailable');
      expect(await codeOf(readAll(store, 'second'))).to.equal('NoSuchObject');
    });
  });
});
