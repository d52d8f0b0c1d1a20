import type { JobControl } from '../../server/jobs.js';
import type { ApiError } from '../../server/api-error.js';
import type { Failure, ManyResult } from '../../server/audited-job.js';

const FAILURES_MAX = 100;
const AT_ONCE = 4;

/**
 * Does something to each of many names, some at a time: a failure of one is told and stops no
 * other. What is asynchronous in `names` is read as it is needed.
 */
export async function forMany<T extends { readonly name: string }>(
  items: AsyncIterable<T> | Iterable<T>,
  control: JobControl,
  describe: (error: unknown) => ApiError,
  work: (item: T) => Promise<unknown>,
): Promise<ManyResult> {
  const failures: Failure[] = [];
  let succeeded = 0;
  let failed = 0;
  const total = Array.isArray(items) ? items.length : null;
  const iterator = toAsync(items);
  const lane = async () => {
    for (;;) {
      if (control.signal.aborted) return;
      const next = await iterator.next();
      if (next.done === true) return;
      try {
        await work(next.value);
        succeeded += 1;
      } catch (error) {
        failed += 1;
        const { code, message } = describe(error);
        if (failures.length < FAILURES_MAX) failures.push({ name: next.value.name, code, message });
      }
      control.progress(succeeded + failed, total);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { succeeded, failed, failures };
}

async function* toAsync<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
