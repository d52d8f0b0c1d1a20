import type { Backend, PutObjectInput } from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import * as embedded from '../embedded/support.js';

export const { CONTEXT, BUCKET } = embedded;
export const KEY = embedded.objectRef('key');

/** Runs a test on a store of its own that has one bucket. */
export function withStore(test: (store: Backend) => Promise<void>): Promise<void> {
  return embedded.withStore({}, test);
}

export function inputOf(text: string): PutObjectInput {
  return embedded.inputOf(Buffer.from(text));
}

/** The text of the object `key`; undefined when it is not there. */
export async function textOf(backend: Backend): Promise<string | undefined> {
  try {
    return (await embedded.readAll(backend, 'key')).toString();
  } catch (error) {
    if (error instanceof BackendError && error.code === 'NoSuchObject') return undefined;
    throw error;
  }
}
