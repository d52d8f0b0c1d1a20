import type { WriteClass } from '../backend.js';
import { BackendError } from '../errors.js';
import { freeBytes } from './layout.js';

/** A figure older than this is asked for again before the next small write. */
const FRESH_MS = 1000;

/**
 * Refuses writes while there is still room to delete: LMDB copies the pages it changes, so on a
 * device without a free block not even a delete could commit.
 */
export class SpaceGuard {
  /** Unknown at first: then the first write looks. */
  #free = -Infinity;
  #checkedAt = -Infinity;
  #check: Promise<void> | undefined;

  constructor(
    private readonly directory: string,
    private readonly reserveBytes: number,
  ) {}

  /**
   * Whether a write of this many bytes may begin. Large ones always look; small ones share one look
   * a second, since a look costs a turn of the thread pool. One for a deletion may begin at any rate.
   * @throws BackendError StorageFull
   */
  async admit(writeClass: WriteClass | undefined, bytes: number, large: boolean): Promise<void> {
    if (writeClass === 'deletion') return;
    if (large || this.#free - bytes < this.reserveBytes) await this.#look();
    else if (performance.now() - this.#checkedAt > FRESH_MS) void this.#look();
    if (this.#free - bytes >= this.reserveBytes) return;
    throw new BackendError(
      'StorageFull',
      `${this.#free} bytes are free, of which ${this.reserveBytes} are kept for deletes`,
    );
  }

  #look(): Promise<void> {
    this.#check ??= freeBytes(this.directory)
      .then(
        (free) => {
          this.#free = free;
        },
        // A device that does not tell is not full; the write itself will say what is wrong.
        () => {
          this.#free = Infinity;
        },
      )
      .finally(() => {
        this.#checkedAt = performance.now();
        this.#check = undefined;
      });
    return this.#check;
  }
}
