import type {
  Backend,
  CallContext,
  ObjectRef,
  PutObjectInput,
} from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';

export const CONTEXT: CallContext = { requestId: 'decorators' };
export const BUCKET = { account: 'AUTH_test', container: 'bucket' };
export const KEY: ObjectRef = { ...BUCKET, object: 'key' };

/** Runs a test on a store of its own that has one bucket. */
export async function withStore(
  test: (store: Backend, directory: string) => Promise<void>,
): Promise<void> {
  const folder = await makeTempFolder('decorators');
  const directory = `${folder}/store`;
  const store = await openEmbeddedStore({ directory });
  try {
    await store.createContainer(CONTEXT, BUCKET, {});
    await test(store, directory);
  } finally {
    await store.close();
    await removeFolder(folder);
  }
}

export function inputOf(text: string, more: Partial<PutObjectInput> = {}): PutObjectInput {
  const body = Buffer.from(text);
  return { size: body.length, contentType: 'text/plain', body, ...more };
}

/** The text of an object; undefined when it is not there. */
export async function textOf(backend: Backend, ref = KEY): Promise<string | undefined> {
  try {
    const { source } = (await backend.getObject(CONTEXT, ref)).body;
    if (Buffer.isBuffer(source)) return source.toString();
    let text = '';
    for await (const chunk of source) text += chunk.toString();
    return text;
  } catch (error) {
    if (error instanceof BackendError && error.code === 'NoSuchObject') return undefined;
    throw error;
  }
}
