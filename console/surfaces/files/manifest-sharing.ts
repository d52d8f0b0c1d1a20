import type { SwiftAccount } from '../../swift/account.js';
import { kindOf } from './names.js';
import { listContainers, LISTING_LIMIT, walkObjects } from './swift-listing.js';

/** Listings that are read to find out: a page is ten thousand names. */
const ROWS_READ_MAX = 500_000;

/**
 * Whether the segments of a static large object are another's, too: a copy of a manifest refers to
 * the same segments, and has the same `slo_etag` in listings. All of the account is read, once, and
 * no further than the limit; beyond it whatever cannot be known to be alone counts as shared.
 */
export class ManifestSharing {
  #counts: Promise<ReadonlyMap<string, number> | undefined> | undefined;
  readonly #gone = new Map<string, number>();

  constructor(private readonly store: SwiftAccount) {}

  /** @param etag of the large object, as its HEAD and listings have it */
  async isShared(etag: string): Promise<boolean> {
    this.#counts ??= this.#count();
    const counts = await this.#counts;
    if (counts === undefined) return true;
    return (counts.get(etag) ?? 0) - (this.#gone.get(etag) ?? 0) > 1;
  }

  /** Tells that one of them was deleted. */
  forget(etag: string): void {
    this.#gone.set(etag, (this.#gone.get(etag) ?? 0) + 1);
  }

  /** @returns undefined when there was too much to read */
  async #count(): Promise<ReadonlyMap<string, number> | undefined> {
    const counts = new Map<string, number>();
    let read = 0;
    for await (const container of this.#containers()) {
      for await (const { slo_etag: quoted } of walkObjects(this.store, container, '')) {
        if (++read > ROWS_READ_MAX) return undefined;
        if (quoted === undefined) continue;
        const etag = quoted.replaceAll('"', '');
        counts.set(etag, (counts.get(etag) ?? 0) + 1);
      }
    }
    return counts;
  }

  async *#containers(): AsyncGenerator<string> {
    let marker: string | undefined;
    for (;;) {
      const rows = await listContainers(this.store, { marker, limit: LISTING_LIMIT });
      for (const { name } of rows) if (kindOf(name) !== 'segments') yield name;
      const last = rows.at(-1);
      if (last === undefined || rows.length < LISTING_LIMIT) return;
      marker = last.name;
    }
  }
}
