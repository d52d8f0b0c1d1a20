import { mapLimited } from '../../../src/lib/promises.js';
import type { SwiftAccount } from '../../swift/account.js';
import { largeCopies, type Place } from './copy-object.js';
import { fresh } from './fresh.js';
import { kindOf } from './names.js';
import { segmentsIn, type Segment } from './s3-parts.js';
import { listContainers, LISTING_LIMIT, walkObjects } from './swift-listing.js';
import { keyOf } from './transfer-plan.js';
import { versioningOf, type Versioning } from './versioning.js';
import { walkVersions } from './versions.js';

/** Listings that are read to find out: a page is ten thousand names. */
const ROWS_READ_MAX = 500_000;
/** More of them are not remembered: those that are get deleted before. */
const SEGMENTS_MAX = 100_000;
const AT_ONCE = 8;
/** The time in which another client's copy of a manifest is written and listed; the console's own are awaited. */
const COPY_MS = 5000;

/**
 * The end of segments. A copy of a static large object lives on the same segments, and so does a
 * version of it, and both can be made while a job deletes many names. So a job deletes manifests
 * alone; at its end all of the account is read, and the segments go of which no manifest is left.
 * Copies have the same `slo_etag` in listings. Where there is too much to read, segments stay.
 */
export class SegmentCleanup {
  /** By the ETag of the large object: its segments. */
  #left = new Map<string, Map<string, Segment>>();
  #count = 0;
  readonly #keepers = new Map<string, () => Promise<boolean>>();

  /** @param pause waits that many milliseconds */
  constructor(
    private readonly store: SwiftAccount,
    private readonly pause: (ms: number) => Promise<void>,
    private readonly now: () => number,
  ) {}

  /**
   * Deletes the manifest of a static large object.
   * @param etag of the object, as its HEAD and listings have it
   * @throws SwiftStatusError, 412 where the store knows conditions and has another object there
   */
  async deleteManifest(place: Place, etag: string): Promise<void> {
    // There it lives on, as a version or in another container.
    const segments = (await this.#isKept(place.container))
      ? undefined
      : await segmentsIn(this.store, place);
    await this.store.do([204], 'DELETE', { ...place, headers: { 'if-match': `"${etag}"` } });
    if (segments === undefined) return;
    let known = this.#left.get(etag);
    if (known === undefined) this.#left.set(etag, (known = new Map<string, Segment>()));
    for (const segment of segments) known.set(keyOf(segment), segment);
    this.#count += segments.length;
    if (this.#count > SEGMENTS_MAX) await this.settle();
  }

  /** The end of a job that deletes many names. */
  readonly end = { name: 'Segments of large objects', work: () => this.settle() };

  /**
   * Deletes the segments of which no manifest is left.
   * @throws SwiftStatusError; then segments are left
   */
  async settle(): Promise<void> {
    const left = this.#left;
    if (left.size === 0) return;
    this.#left = new Map();
    this.#count = 0;
    await Promise.all([this.pause(COPY_MS), largeCopies()]);
    const alive = await this.#alive(left);
    if (alive === undefined) return;
    const gone = new Map<string, Segment>();
    for (const segments of left.values()) {
      for (const [key, segment] of segments) gone.set(key, segment);
    }
    // Large objects may share single segments, too.
    for (const etag of alive) for (const key of left.get(etag)?.keys() ?? []) gone.delete(key);
    await mapLimited([...gone.values()], AT_ONCE, ({ container, object, isLarge }) => {
      const query = isLarge ? { 'multipart-manifest': 'delete' } : {};
      return this.store.do([200, 204, 404], 'DELETE', { container, object, query });
    });
  }

  #isKept(container: string): Promise<boolean> {
    let asks = this.#keepers.get(container);
    if (asks === undefined) {
      asks = fresh(this.now, async () => {
        const { mode } = await this.#versioning(container);
        // Versions stay also where no new ones are made.
        return mode === 'stack' || mode === 'history';
      });
      this.#keepers.set(container, asks);
    }
    return asks();
  }

  async #versioning(container: string): Promise<Versioning> {
    const { headers } = await this.store.do([200, 204], 'HEAD', { container });
    return versioningOf(headers);
  }

  /** @returns which of the ETags have a manifest; undefined when there was too much to read */
  async #alive(wanted: ReadonlyMap<string, unknown>): Promise<ReadonlySet<string> | undefined> {
    const alive = new Set<string>();
    let read = 0;
    for await (const container of this.#containers()) {
      const { mode } = await this.#versioning(container);
      const walk = mode === 'stack' ? walkVersions : walkObjects;
      for await (const { name, slo_etag: quoted } of walk(this.store, container, '')) {
        if (++read > ROWS_READ_MAX) return undefined;
        const etag = quoted?.replaceAll('"', '');
        if (etag === undefined || !wanted.has(etag) || alive.has(etag)) continue;
        const isThere = mode === 'stack' || (await this.#isThere({ container, object: name }));
        if (isThere) alive.add(etag);
      }
    }
    return alive;
  }

  /** A listing may still have what was just deleted. */
  async #isThere(place: Place): Promise<boolean> {
    const query = { symlink: 'get' };
    return (await this.store.do([200, 403, 404], 'HEAD', { ...place, query })).status !== 404;
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
