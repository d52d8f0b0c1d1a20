import { ApiFailure, call } from './api.js';
import type { BucketSize } from '../surfaces/files/bucket-size.js';

/** The console counts so many at once: the first figures are there soon. */
const BATCH = 10;
const BUSY_MS = 2000;
const TRIES = 5;

/**
 * Counts buckets, some at a time.
 *
 * @param onSizes told of each batch: the buckets that were asked for, and the sizes of those that are
 *   there
 */
export async function countBuckets(
  names: readonly string[],
  onSizes: (names: readonly string[], sizes: readonly BucketSize[]) => void,
  signal?: AbortSignal,
) {
  for (let at = 0; at < names.length && !signal?.aborted; at += BATCH) {
    const batch = names.slice(at, at + BATCH);
    const { items } = await ask(batch);
    if (!signal?.aborted) onSizes(batch, items);
  }
}

/** While others count, the console asks to wait. */
async function ask(names: readonly string[], tries = TRIES) {
  try {
    return await call('POST', '/api/files/containers/sizes', { names }, true);
  } catch (error) {
    if (tries === 1 || !(error instanceof ApiFailure && error.code === 'busy')) throw error;
    await new Promise((resolve) => setTimeout(resolve, BUSY_MS));
    return ask(names, tries - 1);
  }
}
