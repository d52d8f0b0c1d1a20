import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  CallContext,
  ContainerRef,
  ObjectRef,
  PutObjectInput,
} from '../../src/backend/backend.js';
import { type EmbeddedStore, openEmbeddedStore } from '../../src/backend/embedded/index.js';
import type { Row, Subject } from './subject.js';

const CONTEXT: CallContext = { requestId: 'bench' };
const BUCKET: ContainerRef = { account: 'AUTH_bench', container: 'bucket' };
const LISTED: ContainerRef = { account: 'AUTH_bench', container: 'listed' };
const VERSIONS: ContainerRef = { ...BUCKET, container: `${BUCKET.container}+versions` };
const MIB = 1024 * 1024;
const ETAG = '9e107d9d372bb6826bd81d3542a419d6';
const WARM_UP_PUTS = 2000;

/** The embedded store: its calls, and bodies in the index beside bodies as files. */
export async function open(): Promise<Subject> {
  const root = await mkdtemp(join(tmpdir(), 'ringway-bench-'));
  const [store, inIndex, asFile] = await Promise.all([
    openStore(join(root, 'store'), undefined),
    openStore(join(root, 'in-index'), 512 * 1024),
    openStore(join(root, 'as-file'), 0),
  ]);
  const warmUp = Array.from({ length: WARM_UP_PUTS }, (_, i) => i);
  await Promise.all(warmUp.map((i) => store.putObject(CONTEXT, photo(i), small)));
  return {
    steps: [
      ...objectSteps(store),
      ...linkSteps(store),
      ...listingSteps(store),
      ...sizeSteps({ 'in the index': inIndex, 'as a file': asFile }),
    ],
    close: async () => {
      await Promise.all([store.close(), inIndex.close(), asFile.close()]);
      await rm(root, { recursive: true });
    },
  };
}

async function openStore(
  directory: string,
  inlineBodyBytesMax: number | undefined,
): Promise<EmbeddedStore> {
  const store = await openEmbeddedStore({ directory, inlineBodyBytesMax, unlinkDelayMs: 0 });
  for (const container of [BUCKET, LISTED, VERSIONS]) {
    await store.createContainer(CONTEXT, container, {});
  }
  return store;
}

/** The S3 layer's part: the ETag that it has computed, a little metadata. */
function input(bytes: number): PutObjectInput {
  const body = Buffer.alloc(bytes, 1);
  const about = { contentType: 'application/octet-stream', seal: () => ({ etag: ETAG }) };
  return { ...about, size: bytes, systemMetadata: { 's3api-etag': ETAG }, body };
}

const small = input(1024);

function photo(i: number): ObjectRef {
  return { ...BUCKET, object: `photos/${(i * 7919) % 20_000}.jpg` };
}

async function read(store: EmbeddedStore, ref: ObjectRef): Promise<void> {
  const { body } = await store.getObject(CONTEXT, ref);
  if (Buffer.isBuffer(body.source)) return;
  let bytes = 0;
  for await (const chunk of body.source) bytes += chunk.length;
  if (bytes === 0) throw new Error('nothing was read');
}

/** Rows that find what those before them have written. */
function inOrder(rows: readonly Row[]): Row[][] {
  return rows.map((row) => [{ rounds: 1, ...row }]);
}

function objectSteps(store: EmbeddedStore): Row[][] {
  const put = (i: number) => store.putObject(CONTEXT, photo(i), small);
  const many = { calls: 20_000, inFlight: 64 };
  const large = (i: number): ObjectRef => ({ ...BUCKET, object: `large/${i % 16}` });
  const largeInput = input(8 * MIB);
  return inOrder([
    { ...many, name: 'put 1 KiB, 64 in flight', call: put },
    { ...many, name: 'put 1 KiB, again, 64 in flight', call: put },
    { name: 'put 1 KiB, 1 in flight', calls: 500, call: put },
    { ...many, name: 'get 1 KiB', rounds: 3, call: (i) => read(store, photo(i)) },
    { ...many, name: 'head', rounds: 3, call: (i) => store.headObject(CONTEXT, photo(i)) },
    {
      ...{ ...many, name: 'delete 1 KiB, 64 in flight' },
      call: (i) => store.deleteObject(CONTEXT, photo(i)),
    },
    {
      ...{ name: 'put 8 MiB, 4 in flight', calls: 64, inFlight: 4, bytes: 8 * MIB },
      call: (i) => store.putObject(CONTEXT, large(i), largeInput),
    },
    {
      ...{ name: 'get 8 MiB, 4 in flight', calls: 128, inFlight: 4, bytes: 8 * MIB },
      call: (i) => read(store, large(i)),
    },
  ]);
}

/** The cost of a link on the way to a version: only to one of its key is it followed. */
function linkSteps(store: EmbeddedStore): Row[][] {
  const key = (i: number): string => `linked/${i % 1000}.jpg`;
  const target = (i: number): string => `${Buffer.from(key(i)).toString('hex')}/${'0'.repeat(32)}`;
  const atTarget = (i: number): ObjectRef => ({ ...VERSIONS, object: target(i) });
  const link = (i: number): ObjectRef => ({ ...BUCKET, object: key(i) });
  const turns = { calls: 5000, inFlight: 64, rounds: 12 };
  return [
    ...inOrder([
      {
        ...{ name: 'put the target of a link', calls: 1000, inFlight: 64 },
        call: (i) => store.putObject(CONTEXT, atTarget(i), small),
      },
      {
        ...{ name: 'put a link, 64 in flight', calls: 5000, inFlight: 64 },
        call: (i) =>
          store.putLink(CONTEXT, link(i), {
            target: { container: VERSIONS.container, object: target(i) },
            size: 1024,
            etag: ETAG,
            contentType: 'application/octet-stream',
            listingAttributes: { generation: '12' },
          }),
      },
    ]),
    [
      { ...turns, name: 'get 1 KiB, in turn', call: (i) => read(store, atTarget(i)) },
      { ...turns, name: 'get 1 KiB through a link', call: (i) => read(store, link(i)) },
      { ...turns, name: 'head, in turn', call: (i) => store.headObject(CONTEXT, atTarget(i)) },
      { ...turns, name: 'head through a link', call: (i) => store.headObject(CONTEXT, link(i)) },
    ],
  ];
}

function listingSteps(store: EmbeddedStore): Row[][] {
  const empty = input(0);
  const name = (i: number): string =>
    `year/${i % 100}/holiday/img-${String(i).padStart(8, '0')}.jpg`;
  const list = (query: object) => () =>
    store.listObjects(CONTEXT, LISTED, { limit: 1000, ...query });
  const rollUps = list({ prefix: 'year/', delimiter: '/' });
  return inOrder([
    {
      ...{ name: 'put empty, 64 in flight', calls: 100_000, inFlight: 64 },
      call: (i) => store.putObject(CONTEXT, { ...LISTED, object: name(i) }, empty),
    },
    { name: 'list 1000 of 100,000', calls: 70, rounds: 3, call: list({ marker: 'year/50/' }) },
    { name: 'list 100 roll-ups of 100,000', calls: 70, rounds: 3, call: rollUps },
  ]);
}

/** Around the size where bodies leave the index. */
function sizeSteps(stores: Readonly<Record<string, EmbeddedStore>>): Row[][] {
  return [4, 16, 32, 64, 128, 256].flatMap((kib): Row[][] => {
    const written = input(kib * 1024);
    const object = (i: number): ObjectRef => ({ ...BUCKET, object: `${kib}/${i}` });
    const about = { calls: Math.min(2000, 65_536 / kib), inFlight: 16, rounds: 1 };
    const rows = (what: string, call: (store: EmbeddedStore, ref: ObjectRef) => Promise<unknown>) =>
      Object.entries(stores).map(([place, store]): Row => {
        const name = `${what} ${kib} KiB ${place}, 16 in flight`;
        return { ...about, name, bytes: kib * 1024, call: (i) => call(store, object(i)) };
      });
    return [rows('put', (store, ref) => store.putObject(CONTEXT, ref, written)), rows('get', read)];
  });
}
