import type { ListingEntry, ObjectPage, ObjectQuery } from '../../../backend/backend.js';

/** Lists a container. */
export type List = (query: ObjectQuery) => Promise<ObjectPage>;

/** Reads a listing forward, page by page, as far as it is asked for. */
export class ListingReader {
  #entries: readonly ListingEntry[] = [];
  #at = 0;
  /** Where the next page begins. */
  #marker: string | undefined;
  #isLastPage = false;

  constructor(
    private readonly list: List,
    private readonly query: ObjectQuery,
  ) {
    this.#marker = query.marker;
  }

  /** The next entry, which stays the next one; undefined at the end. */
  async head(): Promise<ListingEntry | undefined> {
    for (;;) {
      const entry = this.#entries[this.#at];
      if (entry !== undefined) return entry;
      if (this.#isLastPage) return undefined;
      const page = await this.list({ ...this.query, marker: this.#marker });
      const last = page.entries.at(-1);
      this.#isLastPage = !page.truncated || last === undefined;
      if (last !== undefined) this.#marker = nameOf(last);
      this.#entries = page.entries;
      this.#at = 0;
    }
  }

  /** Passes over the next entry. */
  next(): void {
    this.#at++;
  }

  /**
   * Passes over everything up to a name, and over the roll-up that it lies in: without a call for
   * what was not read yet. Names up to there are of ASCII characters only.
   */
  skipTo(name: string): void {
    while (this.#at < this.#entries.length) {
      const entry = this.#entries[this.#at];
      if (entry === undefined || nameOf(entry) > name) return;
      this.#at++;
    }
    if (this.#marker === undefined || this.#marker < name) this.#marker = name;
  }
}

export function nameOf(entry: ListingEntry): string {
  return entry.kind === 'object' ? entry.object.name : entry.prefix;
}
