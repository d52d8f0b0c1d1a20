import type { SwiftAccount } from '../../swift/account.js';
import { kindOf } from './names.js';
import { listContainers, LISTING_LIMIT, walkObjects } from './swift-listing.js';
import { versioningOf, type Versioning } from './versioning.js';
import { walkVersions } from './versions.js';

/** Listings that are read to find out: a page is ten thousand names. */
const ROWS_READ_MAX = 500_000;

/**
 * Whether the segments of a static large object are another's, too: a copy of a manifest refers to
 * the same segments, and has the same `slo_etag` in listings, and so has a version of it. All of the
 * account is read, with all versions, once, and no further than the limit; beyond it whatever cannot
 * be known to be alone counts as shared.
 */
export class ManifestSharing {
  #counts: Promise<ReadonlyMap<string, number> | undefined> | undefined;
  readonly #gone = new Map<string, number>();
  readonly #keeping = new Map<string, Promise<boolean>>();

  constructor(private readonly store: SwiftAccount) {}

  /**
   * @param etag of the large object in the container, as its HEAD and listings have it
   * @throws SwiftStatusError
   */
  async isShared(container: string, etag: string): Promise<boolean> {
    let keeps = this.#keeping.get(container);
    if (keeps === undefined) this.#keeping.set(container, (keeps = this.#keeps(container)));
    if (await keeps) return true;
    this.#counts ??= this.#count();
    const counts = await this.#counts;
    if (counts === undefined) return true;
    return (counts.get(etag) ?? 0) - (this.#gone.get(etag) ?? 0) > 1;
  }

  /** Tells that one of them was deleted. */
  forget(etag: string): void {
    this.#gone.set(etag, (this.#gone.get(etag) ?? 0) + 1);
  }

  /** Whether a manifest that is deleted there lives on, as a version or in another container. */
  async #keeps(container: string): Promise<boolean> {
    const { mode } = await this.#versioning(container);
    // Versions stay also where no new ones are made.
    return mode === 'stack' || mode === 'history';
  }

  async #versioning(container: string): Promise<Versioning> {
    const { headers } = await this.store.do([200, 204], 'HEAD', { container });
    return versioningOf(headers);
  }

  /** @returns undefined when there was too much to read */
  async #count(): Promise<ReadonlyMap<string, number> | undefined> {
    const counts = new Map<string, number>();
    let read = 0;
    for await (const container of this.#containers()) {
      const { mode } = await this.#versioning(container);
      const walk = mode === 'stack' ? walkVersions : walkObjects;
      for await (const { slo_etag: quoted } of walk(this.store, container, '')) {
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
