import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import type { CallContext } from '../../../src/backend/backend.js';
import type { PageSource } from '../../../src/s3/pages/page-source.js';
import { createPagePool, type PagePool } from '../../../src/s3/xml-pool/page-pool.js';
import type { PoolThreadOptions, TaskTiming } from '../../../src/s3/xml-pool/pool-thread.js';
import { cancelledBy } from '../../../src/lib/cancellation.js';
import { segmentsContainer } from '../../../src/s3/segments/names.js';
import { errorOf } from '../../support/failure.js';
import { useOnce } from '../../support/fixture.js';
import { until } from '../../support/until.js';
import { useTempFolderOnce } from '../../support/temp-folder.js';
import { textOfDocument } from './documents.js';

const CALL: CallContext = { requestId: 'pages' };
const ACCOUNT = 'AUTH_pages';
const OWNER = { id: 'owner', displayName: 'owner' };
const WORKER = new URL('../../../workers/pages.js', import.meta.url).href;

function pageOf(bucket: string, maxKeys = 1000) {
  const query = { prefix: '', delimiter: undefined, marker: '', maxKeys, urlEncoded: false };
  return { account: ACCOUNT, bucket, owner: OWNER, query };
}

function keysIn(text: string): number {
  return text.split('<Key>').length - 1;
}

describe('the pool for long pages', () => {
  const folder = useTempFolderOnce('page-pool');
  const store = useOnce(() => openEmbeddedStore({ directory: join(folder(), 'store') }), 'close');
  const pools: PagePool[] = [];

  before(async () => {
    for (const [bucket, keys] of [
      ['long', 500],
      ['poison', 500],
      ['short', 128],
    ] as const) {
      const names = Array.from({ length: keys }, (_, i) => `key-${String(i).padStart(4, '0')}`);
      await fill(bucket, names);
    }
  });

  /** A new container with these objects. */
  async function fill(container: string, names: readonly string[]): Promise<void> {
    await store().createContainer(CALL, { account: ACCOUNT, container }, {});
    await Promise.all(names.map((object) => put(container, object)));
  }

  async function put(container: string, object: string): Promise<void> {
    const input = { size: 0, body: Buffer.alloc(0), contentType: 'text/plain' };
    await store().putObject(CALL, { account: ACCOUNT, container, object }, input);
  }

  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()));
  });

  function start(options: Partial<PoolThreadOptions> = {}): PagePool {
    const pool = createPagePool(options);
    pools.push(pool);
    return pool;
  }

  function source(call: CallContext = CALL): PageSource {
    const unasked = () => Promise.reject(new Error('not asked for'));
    return { backend: store(), call, readIndex: unasked, repairLink: unasked };
  }

  async function keysOf(pool: PagePool, bucket: string, maxKeys?: number): Promise<number> {
    const page = await pool.render('ListObjects', source(), pageOf(bucket, maxKeys));
    return keysIn(await textOfDocument(page));
  }

  /** Does what the real thread does, until it is asked for a page that kills it. */
  async function mortalWorker(): Promise<string> {
    const file = join(folder(), 'mortal.mjs');
    await writeFile(
      file,
      `import run from ${JSON.stringify(WORKER)};
       export default function (task) {
         if (task.parameters.bucket === 'poison') process.exit(3);
         return run(task);
       }`,
    );
    return pathToFileURL(file).href;
  }

  it('makes long pages, and leaves short ones to the event loop', async () => {
    const tasks: TaskTiming[] = [];
    const pool = start({ onTask: (timing) => tasks.push(timing) });
    expect(await keysOf(pool, 'short')).to.equal(128);
    expect(await keysOf(pool, 'long', 128)).to.equal(128);
    expect(tasks).to.have.length(0);
    expect(await keysOf(pool, 'long', 129)).to.equal(129);
    expect(await keysOf(pool, 'long')).to.equal(500);
    expect(tasks).to.have.length(2);
    expect(tasks[0]?.runS).to.be.greaterThan(0);
  });

  it('shows at once what was written before the page was asked for', async () => {
    const pool = start();
    const names = Array.from({ length: 200 }, (_, i) => `key-${i}`);
    await fill('growing', names);
    for (let keys = 201; keys <= 230; keys++) {
      await put('growing', `key-${keys}`);
      expect(await keysOf(pool, 'growing')).to.equal(keys);
    }
  });

  it('fails the pages of a thread that dies with 503, and replaces it', async () => {
    const pool = start({ workerFile: await mortalWorker(), tasksAtOnce: 1 });
    expect(await keysOf(pool, 'long')).to.equal(500);
    const lost = await errorOf(keysOf(pool, 'poison'));
    expect(lost).to.have.property('code', 'ServiceUnavailable');
    expect(lost).to.have.property('cause').that.is.instanceOf(Error);
    expect(await keysOf(pool, 'long')).to.equal(500);
    expect(pool.stats()).to.deep.equal({ active: 0, queued: 0 });
  });

  it('leaves no snapshot of the index behind when its thread dies', async () => {
    const pool = start({ workerFile: await mortalWorker() });
    for (let i = 0; i < 3; i++) {
      expect(await keysOf(pool, 'long')).to.equal(500);
      await errorOf(keysOf(pool, 'poison'));
    }
    await pool.close();
    // A snapshot that somebody holds keeps LMDB from using freed pages again: the index would grow.
    const ref = { account: ACCOUNT, container: 'churn' };
    await store().createContainer(CALL, ref, {});
    const body = Buffer.alloc(20_000, 'x');
    const overwrite = async (times: number) => {
      for (let i = 0; i < times; i++) {
        const input = { size: body.length, body, contentType: 'text/plain' };
        await store().putObject(CALL, { ...ref, object: 'key' }, input);
      }
    };
    await overwrite(50);
    const before = store().stats().indexBytes;
    await overwrite(200);
    expect(store().stats().indexBytes - before).to.be.lessThan(100 * body.length);
  });

  it('refuses more pages than may wait', async () => {
    const pool = start({ tasksMax: 3, tasksAtOnce: 1 });
    const accepted = [1, 2, 3].map(() => keysOf(pool, 'long'));
    const refused = await errorOf(keysOf(pool, 'long'));
    expect(refused).to.have.property('code', 'ServiceUnavailable');
    expect(await Promise.all(accepted)).to.deep.equal([500, 500, 500]);
    expect(await keysOf(pool, 'long')).to.equal(500);
  });

  it('does not begin the page of a client that left while it waited', async () => {
    const tasks: TaskTiming[] = [];
    const pool = start({ tasksMax: 8, tasksAtOnce: 1, onTask: (timing) => tasks.push(timing) });
    const upload = { account: ACCOUNT, bucket: 'long', key: 'k', uploadId: 'a'.repeat(32) };
    const parts = Array.from({ length: 1500 }, (_, i) => `k/${upload.uploadId}/${i + 1}`);
    await fill(segmentsContainer(ACCOUNT, 'long').container, parts);
    // The thread stands still while it waits for the second listing.
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const holding: PageSource = {
      ...source(),
      backend: {
        capabilities: store().capabilities,
        headContainer: (call, ref) => store().headContainer(call, ref),
        listObjects: (call, ref, query) => store().listObjects(call, ref, query),
        listUnread: async (call, ref, query) => {
          if (query.marker !== undefined) await held;
          return store().listUnread?.(call, ref, query) ?? store().listObjects(call, ref, query);
        },
      },
    };
    const query = {
      uploadId: upload.uploadId,
      partNumberMarker: 0,
      maxParts: 1000,
      urlEncoded: false,
    };
    const page = { upload, owner: OWNER, query, systemMetadata: {} };
    const first = pool.render('ListParts', holding, page);
    await until(() => pool.stats().active === 1);

    const controller = new AbortController();
    const call = { requestId: 'left', cancellation: cancelledBy(controller.signal) };
    const left = errorOf(pool.render('ListObjects', source(call), pageOf('long')));
    await until(() => pool.stats().queued === 1);
    controller.abort(new Error('the client left'));
    goOn();
    expect(await left).to.have.property('message', 'the client left');
    expect((await textOfDocument(await first)).split('<PartNumber>')).to.have.length(1001);
    expect(tasks).to.have.length(1);
  });

  it('finishes what was begun when it closes, and refuses what comes later', async () => {
    const pool = start();
    const begun = keysOf(pool, 'long');
    await keysOf(pool, 'long');
    await pool.close();
    expect(await begun).to.equal(500);
    const later = await errorOf(keysOf(pool, 'long'));
    expect(later).to.have.property('code', 'ServiceUnavailable');
    expect(await keysOf(pool, 'short')).to.equal(128);
  });
});
