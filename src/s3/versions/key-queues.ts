import type { VersionedKey } from './names.js';

/**
 * Lets tasks of one key run one after the other, in the order in which they come; those of different
 * keys do not wait.
 *
 * The index decides between gateways, whoever loses tries again, and of many that meet on one key
 * most lose most of the time: 64 writers of one key in two listeners made 13 versions a second, and
 * some never came to their turn. Those of one gateway need not meet there. As many wait as there are
 * requests under way, and each for as long as those before it take.
 */
export class KeyQueues {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>({ account, bucket, key }: VersionedKey, task: () => Promise<T>): Promise<T> {
    const name = `${account}/${bucket}/${key}`;
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

  /** Keys that something runs for. */
  get size(): number {
    return this.#last.size;
  }
}

function ignore(): void {
  // Whoever comes next begins anew, however this ended.
}
