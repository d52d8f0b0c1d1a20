import { hash } from 'node:crypto';
import { statSync, unlinkSync } from 'node:fs';
import { expect } from 'chai';
import type { Segment } from '../../../src/backend/backend.js';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { codeOf } from '../../support/failure.js';
import {
  bodyFiles,
  BUCKET,
  CONTEXT,
  inputOf,
  objectRef,
  putSeeded,
  readAll,
  SEEDED_BYTES,
  seededBytes,
  withStore,
} from './support.js';
import { mountTmpfs } from './tmpfs.js';
import { skipBecause } from '../../support/skip.js';

describe('large objects of the embedded store', () => {
  it('have as many segments as an upload has parts', async () => {
    await withStore({}, async (store) => {
      const count = store.capabilities.segmentsMax;
      const bytes = seededBytes(count, 1);
      const segments = await Promise.all(
        Array.from({ length: count }, async (_, i): Promise<Segment> => {
          const [object, body] = [`parts/${i}`, bytes.subarray(i, i + 1)];
          const put = await store.putObject(CONTEXT, objectRef(object), inputOf(body));
          expect(put.outcome).to.equal('created');
          return { container: BUCKET.container, object, size: 1, etag: hash('md5', body) };
        }),
      );
      const input = { segments, etag: `whole-${count}`, contentType: 'a/b' };
      await store.putManifest(CONTEXT, objectRef('large'), input);
      expect((await store.headObject(CONTEXT, objectRef('large'))).segmentCount).to.equal(count);
      expect((await readAll(store, 'large')).equals(bytes)).to.be.true;
      expect(await store.getSegments(CONTEXT, objectRef('large'))).to.deep.equal(segments);
      await store.deleteObject(CONTEXT, objectRef('parts/9999'));
      const again = store.putManifest(CONTEXT, objectRef('again'), input);
      expect(await codeOf(again)).to.equal('SegmentMismatch');
    });
  });

  it('cannot be read on when the store is closed', async () => {
    await withStore({}, async (store) => {
      const segments: Segment[] = [];
      for (const [i, size] of [10, 10, 9].entries()) {
        const body = seededBytes(size, i + 1);
        const object = `part/${i}`;
        await store.putObject(CONTEXT, objectRef(object), inputOf(body));
        const etag = hash('md5', body);
        segments.push({ container: BUCKET.container, object, size: body.length, etag });
      }
      const input = { segments, etag: 'whole', contentType: 'a/b' };
      await store.putManifest(CONTEXT, objectRef('large'), input);
      const { body } = await store.getObject(CONTEXT, objectRef('large'));
      const read = async (): Promise<void> => {
        for await (const chunk of body.source as AsyncIterable<Buffer>) {
          expect(chunk).to.have.length(10);
          await store.close();
        }
      };
      expect(await codeOf(read())).to.equal('Unavailable');
    });
  });
});

describe('copies in the embedded store', () => {
  it('share the blocks of a file, and outlive each other', async () => {
    await withStore({ unlinkDelayMs: 0 }, async (store, directory) => {
      await putSeeded(store, 'from', 1);
      await store.copyObject(CONTEXT, objectRef('from'), objectRef('to'), {});
      const files = await bodyFiles(directory);
      expect(files).to.have.length(2);
      expect(new Set(files.map((path) => statSync(path).ino))).to.have.property('size', 1);
      await putSeeded(store, 'from', 2);
      await store.copyObject(CONTEXT, objectRef('to'), objectRef('to'), { metadata: { a: 'b' } });
      expect((await readAll(store, 'to')).equals(seededBytes(SEEDED_BYTES, 1))).to.be.true;
      await store.close();
      const left = await bodyFiles(directory);
      expect(left.map((path) => statSync(path).nlink)).to.deep.equal([1, 1]);
    });
  });

  it('are written anew where the file system makes no link', async function () {
    await withStore({ unlinkDelayMs: 0 }, async (store, directory) => {
      await putSeeded(store, 'from', 1);
      const [path = ''] = await bodyFiles(directory);
      // Ids follow each other, and each lies in the next folder: here, on another device.
      const folder = ((parseInt(path.slice(-12), 16) + 1) % 256).toString(16).padStart(2, '0');
      const mount = mountTmpfs(`${directory}/bodies/${folder}`, 'size=16m');
      if (mount === undefined) {
        skipBecause(this, 'another device needs a mount, and this process cannot mount');
      }
      const copied = await store.copyObject(CONTEXT, objectRef('from'), objectRef('to'), {});
      expect(copied).to.include({ etag: hash('md5', seededBytes(SEEDED_BYTES, 1)) });
      expect((await readAll(store, 'to')).equals(seededBytes(SEEDED_BYTES, 1))).to.be.true;
      const files = await bodyFiles(directory);
      expect(files.map((each) => statSync(each).nlink)).to.deep.equal([1, 1]);
      await store.deleteObject(CONTEXT, objectRef('to'));
      await store.close();
      mount.unmount();
    });
  });

  it('of an object whose file is missing are Corrupt', async () => {
    await withStore({}, async (store, directory) => {
      await putSeeded(store, 'from', 1);
      unlinkSync((await bodyFiles(directory))[0] ?? '');
      const copy = store.copyObject(CONTEXT, objectRef('from'), objectRef('to'), {});
      expect(await codeOf(copy)).to.equal('Corrupt');
      expect(await codeOf(readAll(store, 'to'))).to.equal('NoSuchObject');
      expect(await bodyFiles(directory)).to.deep.equal([]);
    });
  });

  it('begin again when the source is replaced before it is linked', async () => {
    await withStore({}, async (store, directory) => {
      // On a busy machine the copy may come to its file before the replacement is committed, where
      // nobody takes the file away but this test: such a round says nothing.
      let begunAgain = 0;
      for (let round = 0; round < 50 && begunAgain < 5; round++) {
        await putSeeded(store, 'from', round);
        const [path = ''] = await bodyFiles(directory);
        // It has no ids reserved, so that its copy waits for a commit, behind the one under way.
        const second = await openEmbeddedStore({ directory });
        const next = Buffer.from(`next ${round}`);
        const replaced = store.putObject(CONTEXT, objectRef('from'), inputOf(next));
        for (let i = 0; i < 20; i++) await Promise.resolve();
        const copied = second.copyObject(CONTEXT, objectRef('from'), objectRef('to'), {});
        unlinkSync(path);
        const [put, copy] = await Promise.allSettled([replaced, copied]);
        expect(put).to.deep.include({ status: 'fulfilled' });
        if (copy.status === 'fulfilled') {
          expect(copy.value.outcome).to.equal('created');
          expect((await readAll(store, 'to')).equals(next)).to.be.true;
          begunAgain += 1;
        } else expect(copy.reason).to.have.property('code', 'Corrupt');
        await second.close();
      }
      expect(begunAgain).to.be.above(0);
    });
  });
});
