import { expect } from 'chai';
import type {
  Backend,
  CallContext,
  ContainerRef,
  Metadata,
  ObjectHead,
} from '../../../src/backend/backend.js';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { BackendError } from '../../../src/backend/errors.js';
import type { CreatedVersion, NewVersion } from '../../../src/s3/versions/create-version.js';
import { firstVersionOf } from '../../../src/s3/versions/first-index.js';
import {
  archiveContainer,
  currentRef,
  indexRef,
  parseArchiveName,
  versionRef,
  type VersionedKey,
} from '../../../src/s3/versions/names.js';
import type { PostponedIndexesOptions } from '../../../src/s3/versions/postponed-indexes.js';
import type { VersionIndex } from '../../../src/s3/versions/version-entry.js';
import { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { MemoryBackend, type MemoryOptions } from './memory-backend.js';

export const CALL: CallContext = { requestId: 'versions' };
export const ACCOUNT = 'AUTH_test';
export const BUCKET = 'bucket';
export const CONTAINER: ContainerRef = { account: ACCOUNT, container: BUCKET };
export const ARCHIVE = archiveContainer(ACCOUNT, BUCKET);
export const ENABLED: Pick<NewVersion, 'nullVersion'> = { nullVersion: false };
export const SUSPENDED: Pick<NewVersion, 'nullVersion'> = { nullVersion: true };
const INDEX_BYTES_MAX = 1024 * 1024;

/** Runs a test on a store of its own, with a bucket, and a gateway on that. */
export async function withStore(
  test: (store: Backend, versions: VersionedKeys) => Promise<void>,
): Promise<void> {
  const directory = await makeTempFolder('versions');
  const store = await openEmbeddedStore({ directory, inlineBodyBytesMax: 1024 });
  try {
    await store.createContainer(CALL, CONTAINER, {});
    await test(store, gatewayOn(store));
  } finally {
    await store.close();
    await removeFolder(directory);
  }
}

/** A test of its own on a store of its own. */
export function itOnStore(title: string, test: Parameters<typeof withStore>[0]): void {
  it(title, () => withStore(test));
}

/** A store in memory, with a bucket. */
export async function memoryStore(options: MemoryOptions): Promise<MemoryBackend> {
  const memory = new MemoryBackend(options);
  await memory.createContainer(CALL, CONTAINER);
  return memory;
}

export function keyOf(key: string): VersionedKey {
  return { account: ACCOUNT, bucket: BUCKET, key };
}

/** Another gateway on the same store. */
export function gatewayOn(backend: Backend, indexBytesMax = INDEX_BYTES_MAX): VersionedKeys {
  return new VersionedKeys({ backend, indexBytesMax, pause: () => Promise.resolve() });
}

/** The same; it writes indexes later than their fences, when it is told to. */
export function postponingGatewayOn(
  backend: Backend,
  onWrite?: PostponedIndexesOptions['onWrite'],
  delayMs = 2 ** 31 - 1,
): VersionedKeys {
  const pause = (): Promise<void> => Promise.resolve();
  const postpone = { delayMs, onWrite };
  return new VersionedKeys({ backend, indexBytesMax: INDEX_BYTES_MAX, pause, postpone });
}

/** PUT of a small body. */
export function put(
  backend: Backend,
  versions: VersionedKeys,
  key: VersionedKey,
  text: string,
  entry: Pick<NewVersion, 'nullVersion' | 'condition'> = ENABLED,
): Promise<CreatedVersion> {
  const body = Buffer.from(text);
  return versions.createVersion(CALL, key, {
    ...entry,
    mayBeFirst: true,
    write: async (ref, systemMetadata, precondition) => {
      const input = { size: body.length, contentType: 'text/plain', body, systemMetadata };
      const outcome = await backend.putObject(CALL, ref, input, precondition);
      if (precondition !== undefined && outcome.outcome !== 'created') return undefined;
      if (outcome.outcome !== 'created') throw new Error(outcome.outcome);
      return { size: body.length, etag: outcome.etag, lastModified: outcome.lastModified };
    },
  });
}

/** A client of the store itself. */
export async function putPlain(
  backend: Backend,
  key: VersionedKey,
  text: string,
  more: { metadata?: Metadata; systemMetadata?: Metadata; listingAttributes?: Metadata } = {},
): Promise<void> {
  const body = Buffer.from(text);
  const input = { size: body.length, contentType: 'text/plain', body, ...more };
  expect((await backend.putObject(CALL, currentRef(key), input)).outcome).to.equal('created');
}

/** The body that a GET without a version id reads; undefined when there is nothing. */
export function read(backend: Backend, key: VersionedKey): Promise<string | undefined> {
  return readObject(backend, currentRef(key));
}

/** The body that a GET of a version reads. */
export async function readVersion(
  backend: Backend,
  versions: VersionedKeys,
  key: VersionedKey,
  id: string,
): Promise<string | undefined> {
  const found = await versions.find(CALL, key, id);
  return found && readObject(backend, found.ref);
}

export async function head(backend: Backend, key: VersionedKey): Promise<ObjectHead | undefined> {
  return unlessMissing(backend.headObject(CALL, currentRef(key)));
}

async function readObject(
  backend: Backend,
  ref: ReturnType<typeof currentRef>,
): Promise<string | undefined> {
  const got = await unlessMissing(backend.getObject(CALL, ref));
  if (got === undefined) return undefined;
  const chunks: Buffer[] = [];
  if (Buffer.isBuffer(got.body.source)) return got.body.source.toString();
  for await (const chunk of got.body.source) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

export async function unlessMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof BackendError && error.code === 'NoSuchObject') return undefined;
    throw error;
  }
}

/** Names of the objects of a key in the archive, of which the index knows or not. */
export async function archivedNames(backend: Backend, key: VersionedKey): Promise<string[]> {
  const prefix = versionRef(key, '').object;
  const { entries } = await backend.listObjects(CALL, ARCHIVE, { prefix, limit: 10_000 });
  return entries.flatMap((entry) => {
    const parsed = entry.kind === 'object' ? parseArchiveName(entry.object.name) : undefined;
    return parsed?.kind === 'version' ? [parsed.name] : [];
  });
}

/** Bodies of the entries, newest first; of the version `null` behind that word. */
export async function bodiesOf(
  backend: Backend,
  versions: VersionedKeys,
  key: VersionedKey,
): Promise<string[]> {
  const { entries } = await versions.readIndex(CALL, key);
  return Promise.all(
    entries.map(async ({ id, name, kind }) => {
      if (kind === 'delete-marker') return id === 'null' ? 'null marker' : 'marker';
      const body = (await readArchived(backend, key, name)) ?? '(gone)';
      return id === 'null' ? `null ${body}` : body;
    }),
  );
}

/** The body of a version, which may lie in the place of the index. */
async function readArchived(
  backend: Backend,
  key: VersionedKey,
  name: string,
): Promise<string | undefined> {
  const moved = await readObject(backend, versionRef(key, name));
  if (moved !== undefined) return moved;
  const first = await unlessMissing(backend.headObject(CALL, indexRef(key)));
  const isHere = first !== undefined && firstVersionOf(first)?.name === name;
  return isHere ? readObject(backend, indexRef(key)) : undefined;
}

/** Asserts what holds whenever nobody is in the middle of something. */
export async function expectInStep(
  backend: Backend,
  key: VersionedKey,
  index: VersionIndex,
): Promise<void> {
  const [current] = index.entries;
  const found = await head(backend, key);
  if (current?.kind !== 'version') {
    expect(found, 'nothing at the key').to.equal(undefined);
    return;
  }
  const { object } = found?.link?.target ?? {};
  const isFirst = found !== undefined && firstVersionOf(found)?.name === current.name;
  const expected = isFirst && object === indexRef(key).object ? indexRef : versionRef;
  expect(object).to.equal(expected(key, current.name).object);
  expect(found?.etag).to.equal(current.etag);
}
