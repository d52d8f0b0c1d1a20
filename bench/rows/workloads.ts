import type { PageQuery, UploadPart } from '../dialects/dialect.js';
import { md5Hex } from '../dialects/hashes.js';
import type { WireRequest } from '../load/wire.js';
import { bodyOf, KIB, MIB } from './bodies.js';
import { fixture, LIST_FOLDERS, LIST_PREFIX } from './fixtures.js';
import type { Operation, RowContext, Script, Workload } from './row.js';

/** The workloads of rows: each function prepares one slice. */

const LARGE = 8 * MIB;

export function getSmall({ dialect, bucket }: RowContext): Workload {
  const { count, key, body } = fixture('small');
  return cycle(times(count(0), (i) => dialect.get(bucket, key(i, 0), body(i))));
}

export function headSmall({ dialect, bucket }: RowContext): Workload {
  const { count, key } = fixture('small');
  return cycle(times(count(0), (i) => dialect.head(bucket, key(i, 0), KIB)));
}

/** New keys in each slice; over again only when the slice is faster than the one before. */
export function putSmall(context: RowContext): Workload {
  return cycle(times(context.operations, (i) => putOf(context, `put/${context.slice}/${i}`, i)));
}

/** The first versions of keys. */
export function putVersionedNew(context: RowContext): Workload {
  const put = (i: number) => putOf(context, `new/${context.slice}/${i}`, i);
  return once(times(context.operations, put));
}

/** Further versions of keys that the same client has written just before, over the same connection. */
export async function putVersionedKnown(context: RowContext): Promise<Workload> {
  const puts = await putKnownKeys(context);
  const ofClients = times(KNOWN_CLIENTS, (client) =>
    cycle(puts.filter((_, key) => key % KNOWN_CLIENTS === client)),
  );
  return { next: (client) => ofClients[client % KNOWN_CLIENTS]?.next(client) };
}

/** Further versions of keys that all clients write in turn: of two listeners, the other one as a rule. */
export async function putVersionedShared(context: RowContext): Promise<Workload> {
  return cycle(await putKnownKeys(context));
}

async function putKnownKeys(context: RowContext): Promise<WireRequest[]> {
  const puts = times(KNOWN_KEYS, (i) => putOf(context, `known/${context.slice}/${i}`, i));
  await context.run(puts);
  return puts;
}

const KNOWN_KEYS = 200;
/** Clients with keys of their own. */
const KNOWN_CLIENTS = 16;

/** Current versions of keys that have two each, written before the slice. */
export async function getVersioned(context: RowContext): Promise<Workload> {
  const { dialect, bucket, ownPrefix } = context;
  const keys = times(64, (i) => `current/${i}`);
  for (const body of [0, 1])
    if (context.slice === 0) await context.run(keys.map((key) => putOf(context, key, body)));
  return cycle(keys.map((key) => dialect.get(bucket, ownPrefix + key, bodyOf(KIB, 1))));
}

/** Deletes existing keys: to delete a missing one is another, cheaper operation. */
export async function deleteSmall(context: RowContext): Promise<Workload> {
  const { dialect, bucket, ownPrefix, operations, slice } = context;
  const keys = times(operations, (i) => `delete/${slice}/${i}`);
  await context.run(keys.map((key, i) => putOf(context, key, i)));
  return once(keys.map((key) => dialect.delete(bucket, ownPrefix + key)));
}

export function getLarge({ dialect, bucket }: RowContext): Workload {
  const { count, key, body } = fixture('large');
  return cycle(times(count(0), (i) => dialect.get(bucket, key(i, 0), body(i))));
}

/** Overwritten round by round: the disk need not hold all that is sent. */
export function putLarge(isSigned: boolean): (context: RowContext) => Workload {
  return ({ dialect, bucket, ownPrefix }) => {
    const put = (i: number) =>
      dialect.put(bucket, `${ownPrefix}large/${i}`, bodyOf(LARGE, i), isSigned);
    return cycle(times(32, put));
  };
}

export function getRange({ dialect, bucket }: RowContext): Workload {
  const bytes = 64 * KIB;
  const { count, key, body } = fixture('large');
  const random = pseudoRandom();
  return cycle(
    times(512, (i) => {
      const object = i % count(0);
      const start = Math.floor(random() * (LARGE - bytes));
      const range = { start, end: start + bytes };
      return dialect.get(bucket, key(object, 0), body(object), range);
    }),
  );
}

/** Pages of 1000 keys from places spread over the whole listing. */
export async function listPages(context: RowContext): Promise<Workload> {
  const { bucket, listKeys } = context;
  const { key } = fixture('listing');
  const keysMax = Math.min(1000, listKeys - 1);
  const random = pseudoRandom();
  const requests: WireRequest[] = [];
  for (let page = 0; page < 16; page++) {
    const after = Math.floor(random() * (listKeys - keysMax));
    const query = { bucket, prefix: LIST_PREFIX, keysMax, startAfter: key(after, listKeys) };
    const names = times(Math.min(keysMax, listKeys - after - 1), (i) =>
      key(after + 1 + i, listKeys),
    );
    requests.push(await listing(context, query, names));
  }
  return cycle(requests);
}

export async function listFolders(context: RowContext): Promise<Workload> {
  const { bucket } = context;
  const query = { bucket, prefix: LIST_PREFIX, keysMax: 1000, delimiter: '/' };
  const names = times(
    LIST_FOLDERS,
    (folder) => `${LIST_PREFIX}${String(folder).padStart(3, '0')}/`,
  );
  return cycle([await listing(context, query, names)]);
}

/**
 * The first page is checked; later pages must be the same, byte for byte. If the second page
 * differs, for example because its token is always new, each page is checked.
 */
async function listing(
  { dialect, fetch }: RowContext,
  query: PageQuery,
  names: readonly string[],
): Promise<WireRequest> {
  const body = await fetch(dialect.list(query, () => undefined));
  const check = (page: Buffer) => pageProblem(dialect.readPage(page).names, names);
  const problem = check(body);
  if (problem !== undefined) throw new Error(problem);
  if (!body.equals(await fetch(dialect.list(query, () => undefined))))
    return dialect.list(query, check);
  const request = dialect.list(query);
  return { ...request, expect: { ...request.expect, body } };
}

function pageProblem(found: readonly string[], names: readonly string[]): string | undefined {
  const wrong = names.findIndex((name, i) => name !== found[i]);
  if (wrong === -1 && found.length === names.length) return undefined;
  const expected = `${names.length} names, ${names[Math.max(0, wrong)] ?? 'none'} among them`;
  return `a listing shows ${found.length} names, expected ${expected}`;
}

export async function multiDelete(context: RowContext): Promise<Workload> {
  const { dialect, bucket, ownPrefix, operations, slice } = context;
  const keysOf = (batch: number) => times(1000, (i) => `multi-delete/${slice}/${batch}/${i}`);
  const batches = times(operations, keysOf);
  await context.run(batches.flat().map((key, i) => putOf(context, key, i, 16)));
  return once(
    batches.map((keys) =>
      dialect.multiDelete(
        bucket,
        keys.map((key) => ({ key: ownPrefix + key })),
      ),
    ),
  );
}

/** 64 MiB in parts of 8 MiB, one after the other: created, sent, completed. */
export function multipart({ dialect, bucket, ownPrefix }: RowContext): Workload {
  const parts: UploadPart[] = times(8, (i) => {
    const body = bodyOf(LARGE, i);
    return { number: i + 1, body, etag: md5Hex(body) };
  });
  const steps = dialect.multipart;
  const upload =
    (key: string): Script =>
    async (connection) => {
      const created = await connection.exchange(steps.create(bucket, key));
      if (created.problem !== undefined) return created;
      const uploadId = steps.uploadId(connection.lastBody);
      for (const part of parts) {
        const sent = await connection.exchange(steps.part(bucket, key, uploadId, part));
        if (sent.problem !== undefined) return sent;
      }
      return connection.exchange(steps.complete(bucket, key, uploadId, parts));
    };
  return cycle(times(4, (i) => upload(`${ownPrefix}multipart/${i}`)));
}

/** GET 60 %, PUT 20 %, HEAD 15 %, a list of 100 keys 5 %. */
export async function mixed(context: RowContext): Promise<Workload> {
  const gets = getSmall(context);
  const heads = headSmall(context);
  const { bucket, listKeys } = context;
  const { key } = fixture('listing');
  const names = times(Math.min(100, listKeys), (i) => key(i, listKeys));
  const query = { bucket, prefix: LIST_PREFIX, keysMax: names.length };
  const page = await listing(context, query, names);
  const random = pseudoRandom();
  return cycle(
    times(context.operations, (i) => {
      const dice = random();
      if (dice < 0.6) return gets.next(0) ?? page;
      if (dice < 0.75) return heads.next(0) ?? page;
      return dice < 0.95 ? putOf(context, `mixed/${context.slice}/${i}`, i) : page;
    }),
  );
}

function putOf(context: RowContext, key: string, index: number, bytes = KIB): WireRequest {
  const { dialect, bucket, ownPrefix } = context;
  return dialect.put(bucket, ownPrefix + key, bodyOf(bytes, index), true);
}

/** Over and over. */
export function cycle(operations: readonly Operation[]): Workload {
  let at = 0;
  return {
    next: () => {
      const operation = operations[at];
      at = at + 1 === operations.length ? 0 : at + 1;
      return operation;
    },
  };
}

function once(operations: readonly Operation[]): Workload {
  let at = 0;
  return { next: () => operations[at++] };
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** The same choices in every run, for every target. */
function pseudoRandom(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
