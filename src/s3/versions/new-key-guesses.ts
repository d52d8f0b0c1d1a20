import { BoundedCache } from '../../lib/bounded-cache.js';
import { nameOfBucket, type VersionedKey } from './names.js';

/** The limit of the buckets that are remembered. */
const BUCKETS_MAX = 1000;

/**
 * Whether a key of which nothing is known is likely to be new: as the last such key of its bucket was.
 * It only says which of two correct ways is cheaper.
 */
export class NewKeyGuesses {
  readonly #wereNew = new BoundedCache<boolean>({ weightMax: BUCKETS_MAX });

  isNew(key: VersionedKey): boolean {
    return this.#wereNew.get(nameOfBucket(key)) ?? true;
  }

  note(key: VersionedKey, wasNew: boolean): void {
    this.#wereNew.set(nameOfBucket(key), wasNew);
  }
}
