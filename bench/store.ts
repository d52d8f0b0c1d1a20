import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  CallContext,
  ContainerRef,
  ObjectRef,
  PutObjectInput,
} from '../src/backend/backend.js';
import { type EmbeddedStore, openEmbeddedStore } from '../src/backend/embedded/index.js';

/**
 * The cost of the embedded store: CPU of this process (all its threads) and wall time an operation.
 *
 *   node dist/bench/store.js [directory]     default: a temporary directory; use the disk to measure
 */

const CONTEXT: CallContext = { requestId: 'bench' };
const BUCKET: ContainerRef = { account: 'AUTH_bench', container: 'bucket' };
const LISTED: ContainerRef = { account: 'AUTH_bench', container: 'listed' };
const MIB = 1024 * 1024;

interface Row {
  readonly operation: string;
  readonly cpuMicros: number;
  readonly perSecond: number;
}

/** Runs `total` operations, `inFlight` at a time, and tells what one of them cost. */
async function measure(
  operation: string,
  total: number,
  inFlight: number,
  run: (i: number) => Promise<unknown>,
): Promise<Row> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < total) await run(next++);
  };
  const cpu = process.cpuUsage();
  const started = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { operation, cpuMicros: (user + system) / total, perSecond: total / seconds };
}

function input(body: Buffer): PutObjectInput {
  // The S3 layer's part: the ETag that it has computed, a little metadata.
  return {
    size: body.length,
    contentType: 'application/octet-stream',
    systemMetadata: { 's3api-etag': ETAG },
    seal: () => ({ etag: ETAG }),
    body,
  };
}

const ETAG = '9e107d9d372bb6826bd81d3542a419d6';

async function read(store: EmbeddedStore, ref: ObjectRef): Promise<number> {
  const { body } = await store.getObject(CONTEXT, ref);
  if (Buffer.isBuffer(body.source)) return body.source.length;
  let bytes = 0;
  for await (const chunk of body.source) bytes += chunk.length;
  return bytes;
}

async function measureObjects(store: EmbeddedStore, rows: Row[]): Promise<void> {
  const small = input(Buffer.alloc(1024, 1));
  const name = (i: number): ObjectRef => ({
    ...BUCKET,
    object: `photos/${(i * 7919) % 20_000}.jpg`,
  });
  const put = (i: number): Promise<unknown> => store.putObject(CONTEXT, name(i), small);
  await measure('warm up', 2000, 64, put);
  rows.push(await measure('put 1 KiB, 64 in flight', 20_000, 64, put));
  rows.push(await measure('put 1 KiB, again, 64 in flight', 20_000, 64, put));
  rows.push(await measure('put 1 KiB, 1 in flight', 500, 1, put));
  rows.push(await measure('get 1 KiB', 50_000, 64, (i) => read(store, name(i))));
  rows.push(await measure('head', 50_000, 64, (i) => store.headObject(CONTEXT, name(i))));
  rows.push(
    await measure('delete 1 KiB, 64 in flight', 20_000, 64, (i) =>
      store.deleteObject(CONTEXT, name(i)),
    ),
  );
}

/** The cost of a link on the way to an object: interleaved, so that both see the same machine. */
async function measureLinks(store: EmbeddedStore, rows: Row[]): Promise<void> {
  const small = input(Buffer.alloc(1024, 1));
  const target = (i: number): string => `${i % 1000}/00000000000000000000000000000000`;
  const link = (i: number): ObjectRef => ({ ...BUCKET, object: `linked/${i % 1000}.jpg` });
  await measure('targets', 1000, 64, (i) =>
    store.putObject(CONTEXT, { ...LISTED, object: target(i) }, small),
  );
  rows.push(
    await measure('put a link, 64 in flight', 5000, 64, (i) =>
      store.putLink(CONTEXT, link(i), {
        target: { container: LISTED.container, object: target(i) },
        size: 1024,
        etag: ETAG,
        contentType: 'application/octet-stream',
        listingAttributes: { generation: '12' },
      }),
    ),
  );
  const readers = {
    'get 1 KiB': (i: number) => read(store, { ...LISTED, object: target(i) }),
    'get 1 KiB through a link': (i: number) => read(store, link(i)),
    head: (i: number) => store.headObject(CONTEXT, { ...LISTED, object: target(i) }),
    'head through a link': (i: number) => store.headObject(CONTEXT, link(i)),
  };
  const slices = new Map<string, Row[]>(Object.keys(readers).map((name) => [name, []]));
  for (let slice = 0; slice < 12; slice++) {
    for (const [name, reader] of Object.entries(readers)) {
      slices.get(name)?.push(await measure(`${name}, interleaved`, 5000, 64, reader));
    }
  }
  for (const measured of slices.values()) rows.push(medianOf(measured));
}

function medianOf(rows: Row[]): Row {
  const sorted = rows.sort((a, b) => a.cpuMicros - b.cpuMicros);
  const median = sorted[sorted.length >> 1];
  if (median === undefined) throw new Error('nothing was measured');
  return median;
}

async function measureListings(store: EmbeddedStore, rows: Row[]): Promise<void> {
  const empty = input(Buffer.alloc(0));
  const name = (i: number): string =>
    `year/${i % 100}/holiday/img-${String(i).padStart(8, '0')}.jpg`;
  rows.push(
    await measure('put empty, 64 in flight', 100_000, 64, (i) =>
      store.putObject(CONTEXT, { ...LISTED, object: name(i) }, empty),
    ),
  );
  const list = (query: object) => (): Promise<unknown> =>
    store.listObjects(CONTEXT, LISTED, { limit: 1000, ...query });
  await measure('warm up', 20, 1, list({}));
  rows.push(await measure('list 1000 of 100,000', 200, 1, list({ marker: 'year/50/' })));
  rows.push(
    await measure(
      'list 100 roll-ups of 100,000',
      200,
      1,
      list({ prefix: 'year/', delimiter: '/' }),
    ),
  );
}

/** Put and get around the size where bodies leave the index: run it with both thresholds. */
async function measureSizes(store: EmbeddedStore, rows: Row[], label: string): Promise<void> {
  for (const kib of [4, 16, 32, 64, 128, 256]) {
    const put = input(Buffer.alloc(kib * 1024, 2));
    const total = Math.min(2000, 65_536 / kib);
    const object = (i: number): ObjectRef => ({ ...BUCKET, object: `${kib}/${i}` });
    rows.push(
      await measure(`put ${kib} KiB ${label}, 16 in flight`, total, 16, (i) =>
        store.putObject(CONTEXT, object(i), put),
      ),
    );
    rows.push(await measure(`get ${kib} KiB ${label}`, total, 16, (i) => read(store, object(i))));
  }
}

async function measureLarge(store: EmbeddedStore, rows: Row[]): Promise<void> {
  const put = input(Buffer.alloc(8 * MIB, 3));
  const object = (i: number): ObjectRef => ({ ...BUCKET, object: `large/${i % 16}` });
  rows.push(
    await measure('put 8 MiB, 4 in flight', 64, 4, (i) => store.putObject(CONTEXT, object(i), put)),
  );
  rows.push(await measure('get 8 MiB, 4 in flight', 128, 4, (i) => read(store, object(i))));
}

async function withStore(
  parent: string,
  inlineBodyBytesMax: number | undefined,
  work: (store: EmbeddedStore) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(parent, 'ringway-bench-'));
  const store = await openEmbeddedStore({ directory, inlineBodyBytesMax, unlinkDelayMs: 0 });
  try {
    await store.createContainer(CONTEXT, BUCKET, {});
    await store.createContainer(CONTEXT, LISTED, {});
    await work(store);
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
}

const parent = process.argv[2] ?? tmpdir();
const rows: Row[] = [];
await withStore(parent, undefined, async (store) => {
  await measureObjects(store, rows);
  await measureLinks(store, rows);
  await measureListings(store, rows);
  await measureLarge(store, rows);
});
await withStore(parent, 512 * 1024, (store) => measureSizes(store, rows, 'in the index'));
await withStore(parent, 0, (store) => measureSizes(store, rows, 'as a file'));
for (const { operation, cpuMicros, perSecond } of rows) {
  console.log(
    `${operation.padEnd(40)} ${cpuMicros.toFixed(1).padStart(9)} µs CPU ${perSecond.toFixed(0).padStart(8)} /s`,
  );
}
