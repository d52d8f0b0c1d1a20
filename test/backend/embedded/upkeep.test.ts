import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type EmbeddedStore,
  openEmbeddedStore,
  withOpenStore,
} from '../../../src/backend/embedded/index.js';
import { idKey } from '../../../src/backend/embedded/keys.js';
import type { StoreDeps } from '../../../src/backend/embedded/deps.js';
import { checkStore, type StoreFault } from '../../../src/backend/embedded/upkeep/check.js';
import { exportStore } from '../../../src/backend/embedded/upkeep/export.js';
import { importStore } from '../../../src/backend/embedded/upkeep/import.js';
import { StoreState } from '../../../src/backend/embedded/upkeep/state.js';
import { failureOf } from '../../support/failure.js';
import { removeFolder } from '../../support/temp-folder.js';
import { useEach } from '../../support/fixture.js';
import {
  bodyFiles,
  BUCKET,
  CONTEXT,
  inputOf,
  objectRef,
  openFilesIn,
  PARTS,
  readAll,
  seededBytes,
  temporaryDirectory,
  withStore,
} from './support.js';

const FILE_BYTES = 100_000;
const NEVER = new AbortController().signal;

/** One object of each kind. */
async function fill(store: EmbeddedStore): Promise<void> {
  const metadata = { colour: 'blue' };
  const systemMetadata = { acl: 'private' };
  const acl = { read: '.r:*', write: '' };
  await store.updateContainer(CONTEXT, BUCKET, { metadata: { rules: 'all' }, acl });
  await store.createContainer(CONTEXT, PARTS, {});
  const part = seededBytes(10, 3);
  const put = await store.putObject(CONTEXT, { ...PARTS, object: 'part' }, inputOf(part));
  await store.putObject(CONTEXT, objectRef('empty'), inputOf(Buffer.alloc(0)));
  const more = { metadata, systemMetadata, listingAttributes: { owner: 'me' }, deleteAt: 9e12 };
  await store.putObject(CONTEXT, objectRef('small'), inputOf(seededBytes(1000, 1), more));
  await store.putObject(CONTEXT, objectRef('file'), inputOf(seededBytes(FILE_BYTES, 2)));
  const etag = 'etag' in put ? put.etag : '';
  const segments = [{ container: PARTS.container, object: 'part', size: part.length, etag }];
  const described = { contentType: 'text/plain', etag: 'joined-1' };
  await store.putManifest(CONTEXT, objectRef('large'), { ...described, segments });
  const target = { container: BUCKET.container, object: 'small' };
  await store.putLink(CONTEXT, objectRef('link'), { ...described, size: 0, target });
}

/** Runs a test on a closed store of its own that has one object of each kind. */
function withFilled(test: (directory: string) => Promise<void>): Promise<void> {
  return withStore({}, async (store, directory) => {
    await fill(store);
    await store.close();
    await test(directory);
  });
}

/** The faults that `ringway store check` finds in a closed store. */
async function faultsOf(directory: string, idsMax?: number): Promise<StoreFault[]> {
  return withOpenStore({ directory }, (deps) => faultsIn(deps, idsMax));
}

async function faultsIn(deps: StoreDeps, idsMax?: number): Promise<StoreFault[]> {
  const faults: StoreFault[] = [];
  const found = await checkStore(deps, NEVER, (fault) => faults.push(fault), idsMax);
  expect(found.faults).to.equal(faults.length);
  return faults;
}

/** Changes rows behind the store's back. */
function edit(directory: string, change: (tables: StoreDeps['tables']) => void): Promise<void> {
  return withOpenStore({ directory }, ({ commits }) =>
    commits.run(({ tables }) => {
      change(tables);
    }),
  );
}

async function exported(directory: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await withOpenStore({ directory }, (deps) =>
    exportStore(deps, NEVER, (bytes) => {
      chunks.push(Buffer.from(bytes));
      return Promise.resolve();
    }),
  );
  return Buffer.concat(chunks);
}

/** In pieces that cut lines and bodies. */
async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 3001) {
    yield await Promise.resolve(bytes.subarray(at, at + 3001));
  }
}

describe('the check of the embedded store', () => {
  it('finds nothing wrong with all kinds of objects, in one pass or many', async () => {
    await withFilled(async (directory) => {
      expect(await faultsOf(directory)).to.deep.equal([]);
      expect(await faultsOf(directory, 1)).to.deep.equal([]);
    });
  });

  it('names the object of a flipped byte, of a short file and of one that is missing', async () => {
    await withStore({}, async (store, directory) => {
      for (const name of ['flipped', 'long', 'missing']) {
        await store.putObject(CONTEXT, objectRef(name), inputOf(seededBytes(FILE_BYTES, 1)));
      }
      const [flipped = '', long = '', missing = ''] = await filesInOrder(directory);
      const bytes = await readFile(flipped);
      bytes[5_000] = (bytes[5_000] ?? 0) ^ 1;
      await writeFile(flipped, bytes);
      await appendFile(long, 'x');
      await rm(missing);
      await store.close();
      const faults = await faultsOf(directory);
      expect(faults.map(({ object }) => object)).to.deep.equal(['flipped', 'long', 'missing']);
      expect(faults[0]?.fault).to.match(/^the body has MD5 .*, not /);
      expect(faults[0]).to.include(BUCKET);
      expect(faults[1]?.fault).to.match(/^the body has .* bytes or more, not 100000/);
      expect(faults[2]?.fault).to.include('is missing').and.include(missing);
    });
  });

  it('finds files and bodies that belong to no object, in each pass', async () => {
    await withFilled(async (directory) => {
      for (const name of ['0000000000fe', '000000000100', 'strange']) {
        const folder = name === 'strange' ? '00' : name.slice(-2);
        await writeFile(join(directory, 'bodies', folder, name), 'x');
      }
      await edit(directory, ({ bodies, meta }) => {
        void bodies.put(idKey(900), Buffer.from('x'));
        void meta.put(Buffer.from('next-body-id'), idKey(1000));
      });
      for (const idsMax of [undefined, 1]) {
        const faults = (await faultsOf(directory, idsMax)).map(({ fault }) => fault);
        expect(faults.filter((fault) => fault.startsWith('the file '))).to.have.length(3);
        expect(faults).to.include('body 900 of the index belongs to no object');
        expect(faults).to.have.length(4);
      }
    });
  });

  it('finds rows that do not agree with each other', async () => {
    await withFilled(async (directory) => {
      await edit(directory, ({ objects, usage, bodies, reclaim }) => {
        const all = [...objects.getRange({})];
        const rows = all.map(({ key, value }) => ({ key: Buffer.from(key), value }));
        const row = (name: string) => rows.find(({ key }) => key.toString('utf8', 6) === name);
        const [part, small, file] = ['part', 'small', 'file'].map(row);
        const lost = Buffer.concat([idKey(77), Buffer.from('lost')]);
        void objects.put(lost, row('empty')?.value ?? idKey(0));
        void objects.put(row('empty')?.key ?? idKey(0), Buffer.from('damaged'));
        void objects.remove(part?.key ?? idKey(0));
        void bodies.remove(small?.value.subarray(1, 7) ?? idKey(0));
        void reclaim.put(Buffer.from(file?.value.subarray(1, 7) ?? idKey(0)), Buffer.from('dead'));
        void usage.remove(idKey(0));
      });
      const faults = await faultsOf(directory);
      expect(faults.map(({ fault, object = '' }) => `${object}: ${fault}`).join('\n'))
        .to.include('lost: belongs to no container (id 77)')
        .and.include('empty: the record cannot be read')
        .and.include('large: its segment parts/part is missing')
        .and.include('small: the body is missing in the index')
        .and.include(' of an object is about to be removed')
        .and.include(': the usage says nothing; there are 5 objects')
        .and.include(': the usage says 1 objects, 10 bytes; there are 0 objects, 0 bytes');
    });
  });

  it('reads nothing that was written since it began', async () => {
    await withStore({}, async (store, directory) => {
      await withOpenStore({ directory }, (deps) =>
        StoreState.with(deps, NEVER, async (state) => {
          await store.putObject(CONTEXT, objectRef('new'), inputOf(seededBytes(10, 1)));
          for await (const { key } of state.rows(deps.tables.objects)) expect.fail(key.toString());
          expect(state.summaryOf(objectRef('new'))).to.equal(undefined);
        }),
      );
    });
  });

  it('sees one state while objects are replaced, whose files wait for it', async () => {
    await withStore({ unlinkDelayMs: 0 }, async (store, directory) => {
      const names = ['a', 'b', 'c'];
      for (const name of names) {
        await store.putObject(CONTEXT, objectRef(name), inputOf(seededBytes(FILE_BYTES, 1)));
      }
      await withOpenStore({ directory }, async (deps) => {
        let isFirst = true;
        const read: string[] = [];
        await exportStore(deps, NEVER, async (bytes) => {
          read.push(bytes.toString('latin1'));
          if (!isFirst) return;
          isFirst = false;
          for (const name of names) await store.deleteObject(CONTEXT, objectRef(name));
          await deps.commits.run(({ tables: { reclaim } }) => {
            // As if the process that has deleted them were dead.
            for (const { key } of [...reclaim.getRange({})]) {
              void reclaim.put(Buffer.from(key), Buffer.from('dead'));
            }
          });
          expect(await store.recover()).to.include({ bodiesReclaimed: 0 });
          expect(await bodyFiles(directory)).to.have.length(3);
        });
        expect(read.join('').match(/"name":"."/g)).to.have.length(3);
      });
      expect(await openFilesIn(join(directory, 'bodies'))).to.be.below(10);
      await store.close();
      const again = await openEmbeddedStore({ directory });
      await again.recover();
      await again.close();
      expect(await bodyFiles(directory)).to.deep.equal([]);
      expect(await faultsOf(directory)).to.deep.equal([]);
    });
  });
});

describe('export and import of the embedded store', () => {
  const target = useEach(temporaryDirectory, removeFolder);

  const take = (bytes: Buffer, from = pieces(bytes)) =>
    withOpenStore({ directory: target() }, (deps) => importStore(deps, NEVER, from));

  it('brings all of a store into another one, byte for byte', async () => {
    await withFilled(async (directory) => {
      const first = await exported(directory);
      await take(first);
      expect((await exported(target())).equals(first)).to.be.true;
      expect(await faultsOf(target())).to.deep.equal([]);
      const copy = await openEmbeddedStore({ directory: target() });
      expect(await readAll(copy, 'file')).to.deep.equal(seededBytes(FILE_BYTES, 2));
      expect(await readAll(copy, 'large')).to.deep.equal(seededBytes(10, 3));
      expect(await readAll(copy, 'link')).to.deep.equal(seededBytes(1000, 1));
      const { systemMetadata, deleteAt } = await copy.headObject(CONTEXT, objectRef('small'));
      expect(systemMetadata).to.deep.equal({ acl: 'private' });
      expect(deleteAt).to.equal(9e12);
      await copy.close();
    });
  });

  it('shows nothing of an import that fails, and takes the next one', async () => {
    await withFilled(async (directory) => {
      const whole = await exported(directory);
      const flipped = Buffer.from(whole);
      const at = flipped.indexOf('blue');
      flipped.write('glue', at);
      for (const [bytes, why] of [
        [whole.subarray(0, -200), 'the export ends early'],
        [flipped, 'its SHA-256 is another one'],
        [Buffer.from('{"ringway_export":2}\n'), 'format 2; this release reads format 1'],
        [Buffer.from('PK..\n'), 'no export of a store'],
      ] as const) {
        expect((await failureOf(take(bytes))).message).to.include(why);
        expect((await exported(target())).toString()).to.include('{"containers":0,"objects":0');
        expect(await faultsOf(target())).to.deep.equal([]);
        expect(await bodyFiles(target())).to.deep.equal([]);
      }
      await take(whole);
      expect((await exported(target())).equals(whole)).to.be.true;
      expect((await failureOf(take(whole))).message).to.include('the store is not empty');
      expect((await exported(target())).equals(whole)).to.be.true;
    });
  });

  it('takes nothing where a bucket is made meanwhile', async () => {
    await withStore({}, async (store, directory) => {
      await fill(store);
      const whole = await exported(directory);
      const served = await openEmbeddedStore({ directory: target() });
      async function* slowly(): AsyncGenerator<Buffer> {
        yield whole.subarray(0, -100);
        await served.createContainer(CONTEXT, PARTS, {});
        yield whole.subarray(-100);
      }
      expect((await failureOf(take(whole, slowly()))).message).to.include('the store is not empty');
      await served.close();
      expect((await exported(target())).toString()).to.include('{"containers":1,"objects":0');
      expect(await faultsOf(target())).to.deep.equal([]);
    });
  });

  it('clears up behind an import that was killed', async () => {
    await withFilled(async (directory) => {
      const whole = await exported(directory);
      // As a killed process leaves it: objects under an id without a container, and a mark.
      await take(whole);
      await edit(target(), ({ containers, usage, expiry, meta }) => {
        for (const table of [containers, usage, expiry]) {
          for (const { key } of [...table.getRange({})]) void table.remove(Buffer.from(key));
        }
        const dead = Buffer.from('1 1 another-boot');
        void meta.put(Buffer.from('import'), Buffer.concat([idKey(1), dead]));
      });
      expect(await faultsOf(target())).to.deep.equal([]);
      const copy = await openEmbeddedStore({ directory: target() });
      await copy.recover();
      await copy.recover();
      await copy.close();
      expect(await bodyFiles(target())).to.deep.equal([]);
      await take(whole);
      expect((await exported(target())).equals(whole)).to.be.true;
      expect(await faultsOf(target())).to.deep.equal([]);
    });
  });

  it('replaces what a service has made for itself, and nothing else', async () => {
    const own = { account: 'AUTH_test', container: '.ringway' };
    await withStore({}, async (store, directory) => {
      await store.createContainer(CONTEXT, own, {});
      await store.putObject(CONTEXT, { ...own, object: 'rules' }, inputOf(seededBytes(10, 1)));
      const copy = await openEmbeddedStore({ directory: target() });
      await copy.createContainer(CONTEXT, own, {});
      const lease = inputOf(seededBytes(FILE_BYTES, 1));
      await copy.putObject(CONTEXT, { ...own, object: 'lease' }, lease);
      await take(await exported(directory));
      const page = await copy.listObjects(CONTEXT, own, { limit: 10 });
      expect(JSON.stringify(page)).to.include('rules').and.not.include('lease');
      await copy.close();
      expect(await faultsOf(target())).to.deep.equal([]);
    });
  });
});

/** In the order in which they were written. */
async function filesInOrder(directory: string): Promise<string[]> {
  return (await bodyFiles(directory)).sort((a, b) => (a.slice(-12) < b.slice(-12) ? -1 : 1));
}
