import type { JobControl } from '../../server/jobs.js';
import type { ApiError } from '../../server/api-error.js';
import type { Failure, ManyResult } from '../../server/audited-job.js';

const NAMES_MAX = 1000;
const AT_ONCE = 4;

/** Counts what becomes of many names, and tells the job's progress. */
export class Tally {
  readonly #failures: Failure[] = [];
  readonly #replaced: string[] = [];
  #succeeded = 0;
  #failed = 0;
  #replacements = 0;

  /** @param total of the names, for the progress; null where it is not known */
  constructor(
    private readonly control: JobControl,
    readonly describe: (error: unknown) => ApiError,
    private readonly total: number | null = null,
  ) {}

  get result(): ManyResult {
    const replaced = { count: this.#replacements, names: this.#replaced };
    return {
      succeeded: this.#succeeded,
      failed: this.#failed,
      failures: this.#failures,
      ...(this.#replacements === 0 ? {} : { replaced }),
    };
  }

  /** Does something for one name: its failure is told, and stops no other. @returns whether it succeeded */
  async attempt(name: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
    } catch (error) {
      this.fail(name, error);
      return false;
    }
    this.succeed();
    return true;
  }

  succeed(count = 1): void {
    this.#succeeded += count;
    this.#tell();
  }

  fail(name: string, error: unknown): void {
    this.#failed += 1;
    const { code, message } = this.describe(error);
    if (this.#failures.length < NAMES_MAX) this.#failures.push({ name, code, message });
    this.#tell();
  }

  /** Tells that what was under a name is no more. */
  replace(name: string): void {
    this.#replacements += 1;
    if (this.#replaced.length < NAMES_MAX) this.#replaced.push(name);
  }

  #tell(): void {
    this.control.progress(this.#succeeded + this.#failed, this.total);
  }
}

/**
 * Does something to each of many names, some at a time. What is asynchronous in `items` is read as
 * it is needed.
 * @param end what is done after all of them, also of a job that was cancelled
 */
export async function forMany<T extends { readonly name: string }>(
  items: AsyncIterable<T> | Iterable<T>,
  control: JobControl,
  describe: (error: unknown) => ApiError,
  work: (item: T) => Promise<unknown>,
  end?: { readonly name: string; readonly work: () => Promise<void> },
): Promise<ManyResult> {
  const tally = new Tally(control, describe, Array.isArray(items) ? items.length : null);
  await inLanes(items, control, (item) => tally.attempt(item.name, () => work(item)));
  await end?.work().catch((error: unknown) => {
    tally.fail(end.name, error);
  });
  return tally.result;
}

/** Works on some items at a time, until the job is cancelled. @throws what `work` or `items` throw */
export async function inLanes<T>(
  items: AsyncIterable<T> | Iterable<T>,
  { signal }: JobControl,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const iterator = toAsync(items);
  const lane = async () => {
    for (;;) {
      if (signal.aborted) return;
      const next = await iterator.next();
      if (next.done === true) return;
      await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

async function* toAsync<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
