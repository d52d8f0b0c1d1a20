import { spawnSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  openEmbeddedStore,
  StoreOpenError,
  type StoreOpenErrorCode,
} from '../../../src/backend/embedded/index.js';
import { codeOf, failureOf } from '../../support/failure.js';
import { removeFolder } from '../../support/temp-folder.js';
import { useEach } from '../../support/fixture.js';
import { BUCKET, CONTEXT, inputOf, objectRef, readAll, temporaryDirectory } from './support.js';
import { mountTmpfs } from './tmpfs.js';
import { skipBecause } from '../../support/skip.js';

describe('opening the embedded store', () => {
  const root = useEach(temporaryDirectory, removeFolder);
  let directory: string;

  beforeEach(() => {
    directory = join(root(), 'data');
  });

  async function failure(
    code: StoreOpenErrorCode,
    options: { directory: string; openFreeBytesMin?: number },
  ): Promise<string> {
    const error = await failureOf(openEmbeddedStore(options), StoreOpenError);
    expect(error.code).to.equal(code);
    return error.message;
  }

  it('keeps what was stored', async () => {
    const first = await openEmbeddedStore({ directory });
    await first.createContainer(CONTEXT, BUCKET, {});
    await first.putObject(CONTEXT, objectRef('small'), inputOf(Buffer.from('1')));
    await first.putObject(CONTEXT, objectRef('large'), inputOf(Buffer.alloc(200_000, 2)));
    await first.close();
    const second = await openEmbeddedStore({ directory });
    expect((await readAll(second, 'small')).toString()).to.equal('1');
    expect(await readAll(second, 'large')).to.deep.equal(Buffer.alloc(200_000, 2));
    expect(second.stats()).to.include({ objectCount: 2, bytesUsed: 200_001 });
    expect(second.stats().indexBytes).to.be.above(0);
    await second.close();
  });

  it('works for many at once in a new directory', async () => {
    const stores = await Promise.all(
      Array.from({ length: 6 }, () => openEmbeddedStore({ directory })),
    );
    await stores[0]?.createContainer(CONTEXT, BUCKET, {});
    for (const store of stores) await store.headContainer(CONTEXT, BUCKET);
    for (const store of stores) await store.close();
  });

  it('names both versions when the format is another one', async () => {
    await (await openEmbeddedStore({ directory })).close();
    await writeFile(join(directory, 'FORMAT'), 'ringway embedded store, format 7\n');
    expect(await failure('format_mismatch', { directory })).to.match(/format 7.*format 2/);
    await writeFile(join(directory, 'FORMAT'), 'something else');
    expect(await failure('format_mismatch', { directory })).to.match(/unknown format.*format 2/);
    await rm(join(directory, 'FORMAT'));
    expect(await failure('format_mismatch', { directory })).to.match(/unknown format/);
  });

  it('refuses a file, or a path through one', async () => {
    await writeFile(directory, '');
    await failure('not_a_directory', { directory });
    await failure('not_a_directory', { directory: join(directory, 'below') });
  });

  it('refuses a damaged index', async () => {
    await (await openEmbeddedStore({ directory })).close();
    for (const damaged of [Buffer.alloc(65_536, 0x55), Buffer.alloc(65_536), Buffer.alloc(9)]) {
      await writeFile(join(directory, 'index.mdb'), damaged);
      await failure('corrupt', { directory });
    }
  });

  it('refuses a directory that it may not write', async function () {
    await mkdir(directory);
    if (process.getuid?.() !== 0) {
      await chmod(directory, 0o500);
      await failure('unwritable', { directory });
      return;
    }
    // Permissions do not bind root; a read-only file system does.
    const mount = mountTmpfs(directory, 'ro,size=1m');
    if (mount === undefined) {
      skipBecause(this, 'a read-only file system needs a mount, and this process cannot mount');
    }
    try {
      await failure('unwritable', { directory, openFreeBytesMin: 0 });
    } finally {
      mount.unmount();
    }
  });

  it('creates no store on a device with too little room, but opens one', async () => {
    const cramped = { directory, openFreeBytesMin: Number.MAX_SAFE_INTEGER };
    expect(await failure('full', cramped)).to.match(/bytes free/);
    await (await openEmbeddedStore({ directory })).close();
    await (await openEmbeddedStore(cramped)).close();
  });

  it('leaves the files unreadable for others', async () => {
    await (await openEmbeddedStore({ directory })).close();
    const { stdout } = spawnSync('find', [directory, '-perm', '/077'], { encoding: 'utf8' });
    expect(stdout.split('\n').filter((path) => path !== '')).to.deep.equal([]);
  });

  it('answers Unavailable once it is closed', async () => {
    const store = await openEmbeddedStore({ directory });
    await store.close();
    await store.close();
    expect(await codeOf(store.ping(CONTEXT))).to.equal('Unavailable');
    expect(await codeOf(store.createContainer(CONTEXT, BUCKET, {}))).to.equal('Unavailable');
  });

  it('waits for writes when it is closed', async () => {
    const store = await openEmbeddedStore({ directory });
    await store.createContainer(CONTEXT, BUCKET, {});
    const writes = [10, 300_000].map((size) =>
      store.putObject(CONTEXT, objectRef(String(size)), inputOf(Buffer.alloc(size))),
    );
    await store.close();
    for (const write of writes) expect((await write).outcome).to.equal('created');
    const again = await openEmbeddedStore({ directory });
    expect((await readAll(again, '300000')).length).to.equal(300_000);
    await again.close();
  });
});
