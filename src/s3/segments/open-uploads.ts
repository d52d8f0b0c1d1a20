import type { ListedObject, ObjectPage, ObjectQuery } from '../../backend/backend.js';
import { compareUtf8 } from '../rules/byte-order.js';
import type { ListMultipartUploadsQuery } from '../rules/multipart-listing-query.js';
import { UPLOAD_ID_BEGINNINGS } from '../rules/upload-id.js';
import { parseSegmentName } from './names.js';

/**
 * Pages of open uploads, in the order of keys and, within a key, of ids.
 *
 * The store sorts the names `<key>/<id>`, which is another order: `a!/<id>` is before `a/<id>`, and
 * `a/b/<id>` may be before or after. Only a key that begins another one can be misplaced so, and
 * only where the other goes on with a character up to `/`. Hence:
 *
 *     names   ─────────────────────────▶ n ─ ─ ─ ─      read up to the name n, parts passed over
 *     keys    all keys up to n are known, but for those that n begins with: ask for each of them
 *
 * A name has few such beginnings, and most of them are settled by one empty listing. The markers of
 * finished objects are gone but their parts are not, so that there may be any number of names
 * without an upload among them: after a bounded number the page ends, perhaps with no entry, and
 * names n as the key to go on from.
 */

export interface OpenUpload {
  readonly key: string;
  readonly uploadId: string;
  /** Its marker. */
  readonly marker: ListedObject;
}

export type UploadEntry =
  ({ readonly kind: 'upload' } & OpenUpload) | { readonly kind: 'prefix'; readonly prefix: string };

export interface OpenUploadsPage {
  readonly entries: readonly UploadEntry[];
  /** The start of the next page; undefined when there is none. */
  readonly next: { readonly keyMarker: string; readonly uploadIdMarker: string } | undefined;
}

/** The limits of the cost of a page. */
export interface ListingBudget {
  readonly namesPerListing: number;
  readonly listingsMax: number;
  /**
   * The number of listings for one key that is asked for by itself: one for each beginning that ids
   * have.
   */
  readonly listingsOfKeyMax: number;
}

const BUDGET: ListingBudget = { namesPerListing: 1000, listingsMax: 50, listingsOfKeyMax: 10 };

/** Lists the companion container. */
type List = (query: ObjectQuery) => Promise<ObjectPage>;

type PageQuery = Pick<
  ListMultipartUploadsQuery,
  'prefix' | 'delimiter' | 'keyMarker' | 'uploadIdMarker' | 'maxUploads'
>;

export async function readOpenUploads(
  list: List,
  query: PageQuery,
  budget: ListingBudget = BUDGET,
): Promise<OpenUploadsPage> {
  if (query.maxUploads === 0) return { entries: [], next: undefined };
  return new UploadsPage(list, query, budget).read();
}

const SLASH = 0x2f;
/** A marker behind all names that go on with a digit, which parts do. */
const AFTER_DIGITS = ':';
/**
 * A marker behind all names that go on in any way. (All but U+10FFFF itself, which costs a
 * listing.)
 */
const LAST_CHARACTER = '\u{10FFFF}';

/** One page in the making. */
class UploadsPage {
  /** The uploads by the name of their marker. */
  readonly #uploads = new Map<string, OpenUpload>();
  readonly #prefixes = new Set<string>();

  constructor(
    private readonly list: List,
    private readonly query: PageQuery,
    private readonly budget: ListingBudget,
  ) {}

  async read(): Promise<OpenUploadsPage> {
    const { keyMarker, uploadIdMarker } = this.query;
    // The first in order: what is left of the key that the last page ended with.
    if (uploadIdMarker !== '') await this.#askFor(keyMarker, `${keyMarker}/${uploadIdMarker}`);
    if (this.#isFull) return this.#page(undefined);
    const reached = await this.#scan();
    if (reached !== undefined) {
      for (const key of this.#unsettledKeys(reached)) await this.#askFor(key, reached);
    }
    return this.#page(reached);
  }

  /** One more than fits, so that it is known whether another page follows. */
  get #isFull(): boolean {
    return this.#uploads.size + this.#prefixes.size > this.query.maxUploads;
  }

  /** @returns the last name that was looked at; undefined when there is no other */
  async #scan(): Promise<string | undefined> {
    const { prefix } = this.query;
    let marker = this.#startOfScan();
    let reached: string | undefined;
    for (let listings = 0; listings < this.budget.listingsMax; listings++) {
      const page = await this.list({ prefix, marker, limit: this.budget.namesPerListing });
      for (const entry of page.entries) {
        if (entry.kind === 'object') {
          this.#take(entry.object);
          reached = entry.object.name;
        }
      }
      if (!page.truncated || reached === undefined) return undefined;
      if (this.#isFull) return reached;
      marker = await this.#behind(reached);
    }
    return reached;
  }

  #startOfScan(): string | undefined {
    const { keyMarker } = this.query;
    if (keyMarker === '') return undefined;
    const passed = this.#rollUp(keyMarker) === keyMarker;
    return passed ? keyMarker + LAST_CHARACTER : keyMarker;
  }

  /** Passes over the rest of what cannot bring anything new. */
  async #behind(name: string): Promise<string> {
    const segment = parseSegmentName(name);
    const rollUp = segment && this.#rollUp(segment.key);
    if (rollUp !== undefined && (this.#prefixes.has(rollUp) || !this.#isFollowing(rollUp))) {
      // The markers of `a` are among the names that begin with `a/`, although `a` is not rolled up.
      const slash = rollUp.lastIndexOf('/');
      if (slash > 0) await this.#askFor(rollUp.slice(0, slash), name);
      return rollUp + LAST_CHARACTER;
    }
    // Keys below an upload's id that go on with a digit would be passed over too: no real key has
    // that form.
    if (segment?.kind === 'part') {
      return `${segment.key}/${segment.uploadId}/${AFTER_DIGITS}`;
    }
    return name;
  }

  #take(marker: ListedObject): void {
    const segment = parseSegmentName(marker.name);
    if (segment?.kind !== 'marker' || !segment.key.startsWith(this.query.prefix)) return;
    const { key, uploadId } = segment;
    const rollUp = this.#rollUp(key);
    if (rollUp !== undefined) {
      if (this.#isFollowing(rollUp)) this.#prefixes.add(rollUp);
    } else if (this.#isUploadFollowing(key, uploadId)) {
      this.#uploads.set(marker.name, { key, uploadId, marker });
    }
  }

  /**
   * A marker within a roll-up leaves the roll-up in, for what else is in it; the roll-up itself as
   * marker does not.
   */
  #isFollowing(rollUp: string): boolean {
    const { keyMarker } = this.query;
    if (compareUtf8(rollUp, keyMarker) > 0) return true;
    return keyMarker.length > rollUp.length && keyMarker.startsWith(rollUp);
  }

  #isUploadFollowing(key: string, uploadId: string): boolean {
    const { keyMarker, uploadIdMarker } = this.query;
    const order = compareUtf8(key, keyMarker);
    if (order !== 0) return order > 0;
    return uploadIdMarker !== '' && compareUtf8(uploadId, uploadIdMarker) > 0;
  }

  /** The common prefix that stands for a key. */
  #rollUp(key: string): string | undefined {
    const { prefix, delimiter } = this.query;
    if (delimiter === undefined || !key.startsWith(prefix)) return undefined;
    const at = key.indexOf(delimiter, prefix.length);
    return at === -1 ? undefined : key.slice(0, at + delimiter.length);
  }

  /** Keys whose markers may be behind `name` although they are before it. */
  *#unsettledKeys(name: string): Generator<string, void, undefined> {
    const { prefix, keyMarker } = this.query;
    // A key may also be called as the marker or part that the name is.
    for (let end = Math.max(prefix.length, 1); end <= name.length; end++) {
      if (name.charCodeAt(end) > SLASH) continue;
      const key = name.slice(0, end);
      if (!key.startsWith(prefix) || compareUtf8(key, keyMarker) <= 0) continue;
      const rollUp = this.#rollUp(key);
      if (rollUp === undefined || (this.#isFollowing(rollUp) && !this.#prefixes.has(rollUp))) {
        yield key;
      }
    }
  }

  /** Takes the uploads of one key whose markers are behind a name. */
  async #askFor(key: string, name: string): Promise<void> {
    let found = 0;
    for (const beginning of UPLOAD_ID_BEGINNINGS) {
      const prefix = `${key}/${beginning}`;
      if (compareUtf8(prefix + LAST_CHARACTER, name) < 0) continue;
      let marker = name;
      for (let listings = 0; listings < this.budget.listingsOfKeyMax; listings++) {
        const limit = this.budget.namesPerListing;
        const page = await this.list({ prefix, delimiter: '/', marker, limit });
        for (const entry of page.entries) {
          marker = entry.kind === 'object' ? entry.object.name : entry.prefix;
          if (entry.kind === 'object') {
            this.#take(entry.object);
            found++;
          }
        }
        if (found > this.query.maxUploads) return;
        if (!page.truncated) break;
      }
    }
  }

  /** @param reached how far is known all there is; undefined: to the end */
  #page(reached: string | undefined): OpenUploadsPage {
    const entries = [
      ...[...this.#uploads.values()].map((upload) => ({ kind: 'upload', ...upload }) as const),
      ...[...this.#prefixes].map((prefix) => ({ kind: 'prefix', prefix }) as const),
    ].sort(compareEntries);
    const shown = entries.slice(0, this.query.maxUploads);
    const last = shown.at(-1);
    if (last !== undefined && shown.length < entries.length) {
      const uploadIdMarker = last.kind === 'upload' ? last.uploadId : '';
      return { entries: shown, next: { keyMarker: nameOf(last), uploadIdMarker } };
    }
    if (reached === undefined) return { entries: shown, next: undefined };
    return { entries: shown, next: { keyMarker: this.#resumeAt(reached), uploadIdMarker: '' } };
  }

  /** The name to continue at; never within a roll-up that is shown, which would be shown again. */
  #resumeAt(reached: string): string {
    const rollUp = this.#rollUp(reached);
    const shown =
      rollUp !== undefined && (this.#prefixes.has(rollUp) || !this.#isFollowing(rollUp));
    return shown ? rollUp : reached;
  }
}

function compareEntries(a: UploadEntry, b: UploadEntry): number {
  const order = compareUtf8(nameOf(a), nameOf(b));
  if (order !== 0 || a.kind === 'prefix' || b.kind === 'prefix') return order;
  return compareUtf8(a.uploadId, b.uploadId);
}

/** Its key, or the common prefix that it is. */
export function nameOf(entry: UploadEntry): string {
  return entry.kind === 'upload' ? entry.key : entry.prefix;
}
