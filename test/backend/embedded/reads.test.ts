import { hash } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync, unlinkSync } from 'node:fs';
import { expect } from 'chai';
import type { GetObjectResult, LinkInput } from '../../../src/backend/backend.js';
import { BodyFiles } from '../../../src/backend/embedded/body-files.js';
import type { EmbeddedStore } from '../../../src/backend/embedded/index.js';
import { codeOf } from '../../support/failure.js';
import { until } from '../../support/until.js';
import {
  bodyFiles,
  BUCKET,
  bytesOf,
  CONTEXT,
  inputOf,
  objectRef,
  readAll,
  seededBytes,
  withStore,
} from './support.js';

const SIZE = 700_000;
const OBJECT = objectRef('object');
const first = seededBytes(SIZE, 1);
const second = seededBytes(SIZE, 2);

function linkTo(object: string): LinkInput {
  const target = { container: BUCKET.container, object };
  return { target, size: SIZE, etag: 'link', contentType: 'a/b' };
}

/** Body files that this process has open. */
function openBodies(directory: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      // Behind the folder: those are kept open.
      return /\/bodies\/..\/./.test(readlinkSync(`/proc/self/fd/${fd}`).replace(directory, ''));
    } catch {
      return false;
    }
  }).length;
}

/** Does something between the look-up and the opening of the first body file. */
async function whileOpening<T>(
  intrude: () => Promise<unknown>,
  read: () => Promise<T>,
): Promise<T> {
  const open = Reflect.get<BodyFiles, 'open'>(BodyFiles.prototype, 'open');
  let intruded = false;
  BodyFiles.prototype.open = async function (this: BodyFiles, bodyId) {
    if (!intruded) {
      intruded = true;
      await intrude();
    }
    return open.call(this, bodyId);
  };
  try {
    return await read();
  } finally {
    BodyFiles.prototype.open = open;
    expect(intruded).to.be.true;
  }
}

describe('reads of the embedded store', () => {
  it('have their file when the head is known', async () => {
    await withStore({}, async (store, directory) => {
      await store.putObject(CONTEXT, OBJECT, inputOf(first));
      const found = await store.getObject(CONTEXT, OBJECT);
      const [path = ''] = await bodyFiles(directory);
      await store.putObject(CONTEXT, OBJECT, inputOf(second));
      unlinkSync(path);
      expect(found.head.etag).to.equal(hash('md5', first));
      expect((await bytesOf(found)).equals(first)).to.be.true;
      expect((await readAll(store, 'object')).equals(second)).to.be.true;
      expect(openBodies(directory)).to.equal(0);
    });
  });

  it('have the file of the first segment, too', async () => {
    await withStore({}, async (store, directory) => {
      await store.putObject(CONTEXT, OBJECT, inputOf(first));
      const { container } = BUCKET;
      const segments = [{ container, object: 'object', size: SIZE, etag: hash('md5', first) }];
      const manifest = { segments, etag: 'whole', contentType: 'a/b' };
      await store.putManifest(CONTEXT, objectRef('large'), manifest);
      const found = await store.getObject(CONTEXT, objectRef('large'), { first: 5 });
      const cancelled = await store.getObject(CONTEXT, objectRef('large'));
      expect(openBodies(directory)).to.equal(2);
      cancelled.body.cancel();
      unlinkSync((await bodyFiles(directory))[0] ?? '');
      expect((await bytesOf(found)).equals(first.subarray(5))).to.be.true;
      await until(() => openBodies(directory) === 0);
    });
  });

  it('hold nothing when they are cancelled, and heads never do', async () => {
    await withStore({}, async (store, directory) => {
      await store.putObject(CONTEXT, OBJECT, inputOf(first));
      await store.headObject(CONTEXT, OBJECT);
      expect(openBodies(directory)).to.equal(0);
      const found = await store.getObject(CONTEXT, OBJECT, { suffix: 10 });
      expect(openBodies(directory)).to.equal(1);
      found.body.cancel();
      found.body.cancel();
      await until(() => openBodies(directory) === 0);
      for await (const chunk of found.body.source) expect.fail(`got ${String(chunk)}`);
    });
  });

  describe('that are overtaken before their file is open', () => {
    /** Overtakes, and forces what happens later: the old file goes. */
    async function overtaken(
      write: (store: EmbeddedStore) => Promise<unknown>,
      check: (found: Promise<GetObjectResult>) => Promise<unknown>,
      asked = OBJECT,
    ): Promise<void> {
      await withStore({ unlinkDelayMs: 0 }, async (store, directory) => {
        await store.putObject(CONTEXT, OBJECT, inputOf(first));
        if (asked !== OBJECT) await store.putLink(CONTEXT, asked, linkTo('object'));
        const [path = ''] = await bodyFiles(directory);
        const intrude = async (): Promise<void> => {
          await write(store);
          await until(() => !existsSync(path));
        };
        await check(whileOpening(intrude, () => store.getObject(CONTEXT, asked)));
        await until(() => openBodies(directory) === 0);
      });
    }

    it('give the new object', async () => {
      await overtaken(
        (store) => store.putObject(CONTEXT, OBJECT, inputOf(second)),
        async (found) => {
          expect((await found).head.etag).to.equal(hash('md5', second));
          expect((await bytesOf(await found)).equals(second)).to.be.true;
        },
      );
    });

    it('give one that has become small', async () => {
      await overtaken(
        (store) => store.putObject(CONTEXT, OBJECT, inputOf(Buffer.from('small'))),
        async (found) => {
          expect((await found).head.size).to.equal(5);
          expect((await found).body.source).to.deep.equal(Buffer.from('small'));
        },
      );
    });

    it('give the same bytes from another file', async () => {
      await overtaken(
        (store) => store.putObject(CONTEXT, OBJECT, inputOf(first)),
        async (found) => {
          expect((await bytesOf(await found)).equals(first)).to.be.true;
        },
      );
    });

    it('give what a link leads to by then', async () => {
      await overtaken(
        async (store) => {
          await store.putObject(CONTEXT, objectRef('other'), inputOf(second));
          await store.putLink(CONTEXT, objectRef('link'), linkTo('other'));
          await store.deleteObject(CONTEXT, OBJECT);
        },
        async (found) => {
          expect((await found).head.link?.target.object).to.equal('other');
          expect((await bytesOf(await found)).equals(second)).to.be.true;
        },
        objectRef('link'),
      );
    });

    it('find nothing when it was deleted', async () => {
      await overtaken(
        (store) => store.deleteObject(CONTEXT, OBJECT),
        async (found) => expect(await codeOf(found)).to.equal('NoSuchObject'),
      );
    });
  });
});
