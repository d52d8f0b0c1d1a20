import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  Backend,
  CallContext,
  GetObjectResult,
  ObjectRef,
  PutObjectInput,
} from '../../../src/backend/backend.js';
import {
  type EmbeddedStore,
  type EmbeddedStoreOptions,
  openEmbeddedStore,
} from '../../../src/backend/embedded/index.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';

/** On behalf of a requester who may read everything. */
export const CONTEXT: CallContext = {
  requestId: 'embedded',
  behalf: { allows: () => true, header: '' },
};
export const BUCKET = { account: 'AUTH_test', container: 'bucket' };
/** For segments. */
export const PARTS = { account: 'AUTH_test', container: 'parts' };

/** Size of what {@link putSeeded} writes. */
export const SEEDED_BYTES = 2_000_000;

export function objectRef(object: string): ObjectRef {
  return { ...BUCKET, object };
}

export function temporaryDirectory(): Promise<string> {
  return makeTempFolder('store');
}

/** Runs a test on a store of its own that has one bucket. */
export async function withStore(
  options: Omit<EmbeddedStoreOptions, 'directory'>,
  test: (store: EmbeddedStore, directory: string) => Promise<void>,
): Promise<void> {
  const directory = await temporaryDirectory();
  const store = await openEmbeddedStore({ directory, ...options });
  try {
    await store.createContainer(CONTEXT, BUCKET, {});
    await test(store, directory);
  } finally {
    await store.close();
    await removeFolder(directory);
  }
}

export function inputOf(body: Buffer, more: Partial<PutObjectInput> = {}): PutObjectInput {
  return { size: body.length, contentType: 'application/octet-stream', body, ...more };
}

export async function readAll(store: Backend, object: string): Promise<Buffer> {
  return bytesOf(await store.getObject(CONTEXT, objectRef(object)));
}

export async function bytesOf({ body }: Pick<GetObjectResult, 'body'>): Promise<Buffer> {
  if (Buffer.isBuffer(body.source)) return body.source;
  const chunks: Buffer[] = [];
  for await (const chunk of body.source) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Writes an object whose body is larger than what stands in the index. */
export async function putSeeded(
  store: Backend,
  name: string,
  seed: number,
  size = SEEDED_BYTES,
): Promise<void> {
  await store.putObject(CONTEXT, objectRef(name), inputOf(seededBytes(size, seed)));
}

/** How many descriptors of this process point into a directory. */
export async function openFilesIn(directory: string): Promise<number> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(
    descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith(directory)).length;
}

/** Paths of all body files, below `bodies/`. */
export async function bodyFiles(directory: string): Promise<string[]> {
  const bodies = join(directory, 'bodies');
  const entries = await readdir(bodies, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** Bytes that tell a size and a seed from any other. */
export function seededBytes(size: number, seed: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let state = (seed * 2654435761 + size) >>> 0;
  const whole = size - (size % 4);
  for (let at = 0; at < whole; at += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes.writeUInt32LE(state, at);
  }
  return bytes.fill(seed & 0xff, whole);
}
