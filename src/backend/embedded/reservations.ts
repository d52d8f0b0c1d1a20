import type { CommitQueue } from './commit-queue.js';
import { idKey } from './keys.js';

/**
 * Ids for body files, reserved before any file is created: a row of the reclaim table names this
 * process as the owner. Should it die, recovery finds the row and unlinks the file, without ever
 * looking through the folders. Rows are made in batches, so that a put hardly ever waits for one.
 */
export class Reservations {
  readonly #ids: number[] = [];
  #refill: Promise<void> | undefined;

  constructor(
    private readonly commits: CommitQueue,
    private readonly owner: Buffer,
  ) {}

  /** An id whose row is on disk. @throws BackendError as a commit */
  async take(): Promise<number> {
    for (;;) {
      const id = this.#ids.pop();
      if (id !== undefined) return id;
      this.#refill ??= this.#reserve().finally(() => (this.#refill = undefined));
      await this.#refill;
    }
  }

  /** Gives an id back whose file was deleted or never created. */
  give(id: number): void {
    this.#ids.push(id);
  }

  /** Removes the rows that are not needed any more. */
  async release(): Promise<void> {
    await this.#refill?.catch(() => undefined);
    const unused = this.#ids.splice(0);
    if (unused.length === 0) return;
    await this.commits.run(({ tables }) => {
      for (const id of unused) void tables.reclaim.remove(idKey(id));
    });
  }

  async #reserve(): Promise<void> {
    const reserved = await this.commits.run((transaction) => {
      const ids = Array.from({ length: BATCH }, () => transaction.newBodyId());
      for (const id of ids) void transaction.tables.reclaim.put(idKey(id), this.owner);
      return ids;
    });
    // The smallest first: files that come one after the other lie in neighbouring folders.
    this.#ids.push(...reserved.reverse());
  }
}

/** The usual number of small uploads in flight; an unused row costs some 70 bytes. */
const BATCH = 16;
