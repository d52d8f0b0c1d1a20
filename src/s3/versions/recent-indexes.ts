import type { StoredIndex } from './index-store.js';
import type { VersionedKey } from './names.js';

interface Kept {
  readonly stored: StoredIndex;
  /** Of its document, which is about a third of what it takes in memory. */
  readonly bytes: number;
}

/** Smaller ones are read again as fast as it is found out that they need not be. */
const BYTES_MIN = 16 * 1024;

/**
 * Large version indexes that were read or written last: to parse 10,000 versions takes 10 ms, for
 * each page of their listing. One may be used only when the store says that its ETag is still the
 * same.
 */
export class RecentIndexes {
  /** In order of their last use. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** @param bytesMax - of all documents together */
  constructor(private readonly bytesMax: number) {}

  get(of: VersionedKey): StoredIndex | undefined {
    const name = nameOf(of);
    const kept = this.#kept.get(name);
    if (kept === undefined) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    return kept.stored;
  }

  /** @param bytes - of its document */
  keep(of: VersionedKey, stored: StoredIndex, bytes: number): void {
    const name = nameOf(of);
    this.#drop(name);
    if (bytes < BYTES_MIN || bytes > this.bytesMax) return;
    this.#kept.set(name, { stored, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.bytesMax) return;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    this.#bytes -= this.#kept.get(name)?.bytes ?? 0;
    this.#kept.delete(name);
  }
}

/** None of the names has a line break in front of the key. */
function nameOf({ account, bucket, key }: VersionedKey): string {
  return `${account}\n${bucket}\n${key}`;
}
