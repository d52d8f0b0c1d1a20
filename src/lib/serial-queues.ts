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
  // Whoever comes next begins anew, however this ended.
}
