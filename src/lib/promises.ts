/** A value that is there at once, or comes by a promise. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Goes on with a value: in this very call when it is there, for a promise costs a request that
 * waits for nothing several microseconds. An error of `next` is thrown, or rejects, accordingly.
 */
export function andThen<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * `task` for each item, in order, at most `limit` of them at a time.
 *
 * @returns the results in the order of the items
 * @throws what the first failing task threw, once those under way have settled; no task begins
 *   after it
 */
export async function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  task: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array<Result>(items.length);
  const queue = items.entries();
  let failure: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      try {
        results[index] = await task(item);
      } catch (error) {
        failure ??= { error };
      }
      if (failure !== undefined) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failure !== undefined) throw failure.error;
  return results;
}

/**
 * Lets tasks under one name run one after the other, in the order in which they come; those under
 * different names do not wait.
 */
export class SerialQueues {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const result = before === undefined ? task() : before.then(task);
    const ended = result.then(ignore, ignore);
    this.#last.set(name, ended);
    try {
      return await result;
    } finally {
      if (this.#last.get(name) === ended) this.#last.delete(name);
    }
  }

  /** Names that something runs under. */
  get size(): number {
    return this.#last.size;
  }
}

function ignore(): void {
  // The next caller begins anew, whether this one failed or not.
}

/**
 * The result of the promise, or undefined when that takes longer.
 * @param ms counted from now
 */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined);
    }, ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads that callers at the same time share, and that are never older than the call: those that come
 * while one is under way share the next one. However many ask, one read at a time is under way for a
 * name, and another waits.
 */
export class SharedReads<T> {
  readonly #running = new Map<string, Promise<T>>();
  readonly #following = new Map<string, Promise<T>>();

  read(name: string, start: () => Promise<T>): Promise<T> {
    const running = this.#running.get(name);
    if (running === undefined) return this.#start(name, start);
    const waiting = this.#following.get(name);
    if (waiting !== undefined) return waiting;
    const next = running.then(ignore, ignore).then(() => {
      this.#following.delete(name);
      return this.#start(name, start);
    });
    this.#following.set(name, next);
    return next;
  }

  #start(name: string, start: () => Promise<T>): Promise<T> {
    const read = start().finally(() => {
      if (this.#running.get(name) === read) this.#running.delete(name);
    });
    this.#running.set(name, read);
    return read;
  }
}
