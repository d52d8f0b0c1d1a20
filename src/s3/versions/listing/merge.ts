import type { ListedObject, ListingEntry } from '../../../backend/backend.js';
import { SYSTEM_METADATA } from '../../object/attributes.js';
import { compareUtf8 } from '../../rules/byte-order.js';
import { NULL_VERSION_ID } from '../../rules/version-id.js';
import type { VersionEntry } from '../version-entry.js';
import {
  ArchiveScan,
  rollUpOf,
  type ArchiveItem,
  CallCount,
  ListingReader,
  nameOf,
  type List,
  archiveList,
  bucketList,
} from './archive-scan.js';
import {
  LISTING_ATTRIBUTES,
  listedOutline,
  listedSummary,
  type SummaryEntry,
} from './index-summary.js';
import {
  type FoundKey,
  KeyReader,
  type VersionsSource,
  listedState,
  isPlain,
  versionsOf,
  type ListedState,
} from './key-reader.js';

/**
 * The keys and common prefixes of a bucket, in order, from the listings of the bucket and of its
 * archive:
 *
 *     bucket    an object  |  a link  |  a common prefix of these
 *     archive              an index   |  a common prefix of these
 *
 * A common prefix that the bucket has is passed over in the archive. One that only the archive has
 * is gone through, up to the first key that has a version: a key whose latest version is a delete
 * marker counts, as in AWS; an index without entries does not. (A link that is about to go because
 * its key has no version any more counts for that moment.)
 */

export type Found =
  | { readonly kind: 'prefix'; readonly prefix: string }
  | { readonly kind: 'key'; readonly found: FoundKey }
  /** The key that the page begins in: its versions behind the marker. */
  | { readonly kind: 'rest'; readonly found: FoundKey };

/** A place in the order of versions: behind all versions of a key, or one of them. */
export interface Markers {
  readonly keyMarker: string;
  /** Empty: behind all. */
  readonly versionIdMarker: string;
}

export interface MergeQuery extends Markers {
  readonly prefix: string;
  readonly delimiter: string | undefined;
  readonly maxKeys: number;
}

/** The lists of the bucket and of its archive, which is empty where there is none. */
interface Lists {
  readonly bucket: List;
  readonly archive: List;
}

/**
 * A marker behind all versions of a key, which also says that the common prefix of the key was not
 * listed yet: a key marker alone skips its own prefix, as in AWS.
 */
const LAST_VERSION_ID = 'f'.repeat(32);
/** An index and its fence, and two versions. */
const NAMES_PER_KEY = 4;

export class Merge {
  readonly #bucket: ListingReader;
  readonly #archive: ArchiveScan;
  /** The common prefix in which the page begins, and that was not told. */
  readonly #within: string | undefined;
  /** The key in whose versions the page begins. */
  readonly #resumed: string | undefined;
  #reached: Markers | undefined;
  #cut: Markers | undefined;

  constructor(
    private readonly lists: Lists,
    private readonly query: MergeQuery,
    private readonly reader: KeyReader,
    private readonly calls: CallCount,
    namesPerListing: number,
  ) {
    const { prefix, delimiter, keyMarker, versionIdMarker, maxKeys } = query;
    const isInside = versionIdMarker !== '' && keyMarker.startsWith(prefix);
    this.#within = isInside ? this.#rollUp(keyMarker) : undefined;
    this.#resumed = isInside && this.#within === undefined ? keyMarker : undefined;
    // One more than fits, so that it is known whether another page follows.
    const limit = Math.min(namesPerListing, maxKeys) + 1;
    const marker = keyMarker === '' ? undefined : keyMarker;
    this.#bucket = new ListingReader(lists.bucket, { prefix, delimiter, marker, limit });
    this.#archive = new ArchiveScan(lists.archive, {
      prefix,
      delimiter,
      key: keyMarker,
      inclusive: this.#resumed !== undefined,
      within: this.#within,
      namesPerListing: Math.min(namesPerListing, NAMES_PER_KEY * (maxKeys + 1)),
    });
  }

  /**
   * The position at which the calls were used up; everything before it was listed. Undefined when
   * the end was reached.
   */
  get cut(): Markers | undefined {
    return this.#cut;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Found, void, undefined> {
    yield* this.#beginning();
    for (;;) {
      if (this.calls.isSpent && this.#reached !== undefined) {
        this.#cut = this.#reached;
        return;
      }
      const [current, archived] = await Promise.all([this.#bucket.head(), this.#archive.peek()]);
      if (current === undefined && archived === undefined) return;
      const order = orderOf(current, archived);
      const found =
        current !== undefined && order <= 0
          ? this.#takeCurrent(current, order === 0 ? archived : undefined)
          : archived && (await this.#takeArchived(archived));
      if (found !== undefined) yield found;
    }
  }

  /** The rest of the key or common prefix that the last page ended in. */
  async *#beginning(): AsyncGenerator<Found, void, undefined> {
    if (this.#resumed !== undefined) {
      const key = this.#resumed;
      const item = await this.#archive.peek();
      const isArchived = item?.kind === 'key' && item.key === key;
      const index = isArchived ? item.index : undefined;
      const found = { key, current: undefined, isArchived, index };
      // Without an index there was one version, and it was listed.
      if (isArchived || !this.reader.isListingEnough) yield { kind: 'rest', found };
      this.#archive.skipKey(key);
    } else if (this.#within !== undefined) {
      const { entries } = await this.lists.bucket({ prefix: this.#within, limit: 1 });
      if (entries.length > 0) yield this.#takePrefix(this.#within);
    }
  }

  #takeCurrent(current: ListingEntry, archived: ArchiveItem | undefined): Found {
    this.#bucket.next();
    return current.kind === 'prefix'
      ? this.#takePrefix(current.prefix)
      : this.#takeKey(current.object.name, current.object, archived);
  }

  async #takeArchived(archived: ArchiveItem): Promise<Found | undefined> {
    if (archived.kind === 'prefix') {
      this.#archive.enter(archived.prefix);
      return undefined;
    }
    const { key, index } = archived;
    const rollUp = this.#rollUp(key);
    if (rollUp === undefined) return this.#takeKey(key, undefined, archived);
    if (await this.reader.hasVersions({ key, index })) return this.#takePrefix(rollUp);
    this.#archive.skipKey(key);
    this.#reached = { keyMarker: key, versionIdMarker: LAST_VERSION_ID };
    return undefined;
  }

  #takePrefix(prefix: string): Found {
    this.#archive.skipPrefix(prefix);
    this.#reached = { keyMarker: prefix, versionIdMarker: '' };
    return { kind: 'prefix', prefix };
  }

  #takeKey(
    key: string,
    current: ListedObject | undefined,
    archived: ArchiveItem | undefined,
  ): Found {
    const isArchived = archived !== undefined;
    const index = archived?.kind === 'key' ? archived.index : undefined;
    if (isArchived) this.#archive.skipKey(key);
    this.#reached = { keyMarker: key, versionIdMarker: '' };
    return { kind: 'key', found: { key, current, isArchived, index } };
  }

  /** The common prefix that a key lies in. */
  #rollUp(key: string): string | undefined {
    return rollUpOf(key, this.query.prefix, this.query.delimiter);
  }
}

function orderOf(current: ListingEntry | undefined, archived: ArchiveItem | undefined): number {
  if (current === undefined) return 1;
  if (archived === undefined) return -1;
  const name = archived.kind === 'key' ? archived.key : archived.prefix;
  return compareUtf8(nameOf(current), name);
}

const NAMES_PER_LISTING = 1000;

/** A key, and its versions: newest first. */
export interface KeyState {
  readonly state: ListedState;
  readonly versions: readonly SummaryEntry[];
}

/** All keys of a bucket that keeps versions, in order. @param after - begins behind this key */
export async function* keysOf(
  source: VersionsSource,
  after: string,
): AsyncGenerator<FoundKey, void, undefined> {
  const calls = new CallCount(Infinity);
  const lists = { bucket: bucketList(source, calls), archive: archiveList(source, calls) };
  const query = {
    prefix: '',
    delimiter: undefined,
    keyMarker: after,
    versionIdMarker: '',
    maxKeys: NAMES_PER_LISTING,
  };
  const reader = new KeyReader(source, calls);
  for await (const found of new Merge(lists, query, reader, calls, NAMES_PER_LISTING)) {
    if (found.kind === 'key') yield found.found;
  }
}

/**
 * The state of a key by the listings alone.
 * @returns undefined when its index has to be read
 */
export function tellKey(found: FoundKey): KeyState | undefined {
  const { current, index, isArchived } = found;
  if (current !== undefined && isPlain(current)) {
    return isArchived ? undefined : { state: 'plain', versions: versionsOf(current, []) };
  }
  const summary = index && listedSummary(index);
  if (summary === undefined) return undefined;
  const state = listedState(current, summary);
  return state === 'ahead' ? undefined : { state, versions: summary.entries };
}

/**
 * The current version alone, of a key whose index is too large to be told: by its link.
 * @returns undefined when the index has to be read
 */
export function tellCurrent({ current, index }: FoundKey): KeyState | undefined {
  const outline = index && listedOutline(index);
  if (outline === undefined || (current !== undefined && isPlain(current))) return undefined;
  // The current version is a delete marker. A reader of the key finds out whether a link is
  // missing.
  if (current === undefined && outline.deleteMarkers > 0) return { state: 'in_step', versions: [] };
  if (current === undefined) return { state: 'behind', versions: [] };
  const generation = Number(current.attributes[LISTING_ATTRIBUTES.generation]);
  if (generation !== outline.generation) return undefined;
  return { state: 'in_step', versions: [linkedVersion(current)] };
}

function linkedVersion({ attributes, size, etag, lastModified }: ListedObject): SummaryEntry {
  return {
    id: attributes[SYSTEM_METADATA.versionId] ?? NULL_VERSION_ID,
    name: '',
    kind: 'version',
    lastModified: Number(attributes[SYSTEM_METADATA.lastModified] ?? lastModified),
    size,
    etag,
    storageClass: attributes[SYSTEM_METADATA.storageClass],
  };
}

/** The state by the index itself. @param index - with `adopted` */
export function stateOf(
  current: ListedObject | undefined,
  index: { readonly generation: number; readonly entries: readonly VersionEntry[] },
): KeyState {
  const state = listedState(current, index);
  // The versions behind an object that no index knows yet are settled once it is a version itself.
  return { state, versions: state === 'plain' ? versionsOf(current, []) : index.entries };
}
