import { setImmediate as nextTurn } from 'node:timers/promises';
import { mapLimited } from '../../../lib/promises.js';
import type { ListedVersionEntry } from '../../xml/list-versions-result.js';
import {
  ArchiveScan,
  type ArchiveItem,
  CallCount,
  archiveList,
  bucketList,
} from './archive-scan.js';
import { KeyReader, type VersionsSource } from './key-reader.js';
import { Merge, type Found, type Markers, type MergeQuery } from './merge.js';

const NAMES_PER_LISTING = 1000;

/**
 * Whether any key of a bucket has a version or a delete marker: such a bucket is not empty. The
 * first key usually shows it. A bucket without any may need a scan of all empty indexes that the
 * janitor has not removed yet, some hundreds with each call.
 */
export async function hasVersions(source: VersionsSource): Promise<boolean> {
  const calls = new CallCount(Infinity);
  const reader = new KeyReader(source, calls);
  const scan = new ArchiveScan(archiveList(source, calls), {
    prefix: '',
    delimiter: undefined,
    key: '',
    inclusive: false,
    within: undefined,
    namesPerListing: NAMES_PER_LISTING,
  });
  for (;;) {
    const items = await nextItems(scan);
    if (items.length === 0) return false;
    const answers = await mapLimited(items, CONCURRENCY, (item) => reader.hasVersions(item));
    if (answers.includes(true)) return true;
  }
}

type Key = Extract<ArchiveItem, { kind: 'key' }>;

async function nextItems(scan: ArchiveScan): Promise<readonly Key[]> {
  const items: Key[] = [];
  while (items.length < CONCURRENCY) {
    const item = await scan.peek();
    if (item?.kind !== 'key') break;
    items.push(item);
    scan.skipKey(item.key);
  }
  return items;
}

export type VersionsPageEntry =
  ListedVersionEntry | { readonly kind: 'prefix'; readonly prefix: string };

export interface VersionsPage {
  /** The entries by key, and each key's versions newest first. */
  readonly entries: readonly VersionsPageEntry[];
  /** The start of the next page; undefined when there is none. */
  readonly next: Markers | undefined;
}

export interface VersionsBudget {
  readonly namesPerListing: number;
  /** Looked at between keys, those at a time are finished: so each page gets on. */
  readonly callsMax: number;
}

/** With 16 parallel reads of 10 ms, a page ends within half a second. */
const BUDGET: VersionsBudget = { namesPerListing: 1000, callsMax: 512 };
/** Keys between two turns of the loop, which others have waited for: about a millisecond of work. */
const KEYS_PER_TURN = 128;
/** Reads and repairs at a time: enough to hide their latency, not enough to crowd the store. */
const CONCURRENCY = 16;

/**
 * Pages of the versions of a bucket's keys: ListObjectVersions.
 *
 * A page costs a listing or two of the bucket and of its archive, and a read of each index that its
 * listing entry does not tell whole. Its cost is bounded: a page whose calls are spent ends early,
 * perhaps with no entry, and the next one goes on behind it.
 *
 * @throws BackendError NoSuchContainer of the bucket; what `readIndex` and `repairLink` throw
 */
export async function readVersionsPage(
  source: VersionsSource,
  query: MergeQuery,
  budget: VersionsBudget = BUDGET,
): Promise<VersionsPage> {
  if (query.maxKeys === 0) {
    const { backend, call, account, bucket } = source;
    await backend.headContainer(call, { account, container: bucket });
    return { entries: [], next: undefined };
  }
  return new VersionsPageReader(source, query, budget).read();
}

type Entries = readonly VersionsPageEntry[];

/** A key or common prefix of the page, and what it comes to once that is known. */
interface Gathered {
  readonly found: Found;
  entries: Entries | undefined;
}

/** One page in the making. */
class VersionsPageReader {
  readonly #entries: VersionsPageEntry[] = [];
  readonly #calls: CallCount;
  readonly #reader: KeyReader;
  readonly #merge: Merge;

  constructor(
    source: VersionsSource,
    private readonly query: MergeQuery,
    { callsMax, namesPerListing }: VersionsBudget,
  ) {
    this.#calls = new CallCount(callsMax);
    this.#reader = new KeyReader(source, this.#calls);
    const lists = {
      bucket: bucketList(source, this.#calls),
      archive: archiveList(source, this.#calls),
    };
    this.#merge = new Merge(lists, query, this.#reader, this.#calls, namesPerListing);
  }

  async read(): Promise<VersionsPage> {
    const keys = this.#merge[Symbol.asyncIterator]();
    while (this.#room > 0) {
      const gathered = await this.#gather(keys);
      if (gathered.length === 0) break;
      const untold = gathered.filter(({ entries }) => entries === undefined);
      await mapLimited(untold, CONCURRENCY, async (one) => {
        one.entries = await this.#read(one.found);
      });
      for (const { entries = [] } of gathered) this.#entries.push(...entries);
      if (gathered.length === KEYS_PER_TURN) await nextTurn();
    }
    return this.#page();
  }

  /** One more than fits, so that it is known whether another page follows. */
  get #room(): number {
    return this.query.maxKeys + 1 - this.#entries.length;
  }

  /** Gathers as many keys as the page may need, or as can be read at a time. */
  async #gather(keys: AsyncIterator<Found, void, undefined>): Promise<readonly Gathered[]> {
    const gathered: Gathered[] = [];
    let versions = 0;
    let reads = 0;
    while (versions < this.#room && reads < CONCURRENCY && gathered.length < KEYS_PER_TURN) {
      const next = await keys.next();
      if (next.done === true) break;
      const found = next.value;
      const entries = this.#tell(found);
      gathered.push({ found, entries });
      if (entries === undefined) reads++;
      versions += entries?.length ?? this.#expect(found);
    }
    return gathered;
  }

  /** The entries that are known without another call. */
  #tell(found: Found): Entries | undefined {
    if (found.kind === 'prefix') return [found];
    return found.kind === 'key' ? this.#reader.tell(found.found, this.#limit) : undefined;
  }

  #expect(found: Found): number {
    return found.kind === 'prefix' ? 1 : this.#reader.expect(found.found);
  }

  async #read(found: Found): Promise<Entries> {
    if (found.kind === 'prefix') return [found];
    return found.kind === 'key'
      ? this.#reader.read(found.found, this.#limit)
      : this.#reader.readBehind(found.found, this.query.versionIdMarker, this.#limit);
  }

  /** The limit of versions of one key. */
  get #limit(): number {
    return this.query.maxKeys + 1;
  }

  #page(): VersionsPage {
    const { maxKeys } = this.query;
    if (this.#entries.length <= maxKeys) return { entries: this.#entries, next: this.#merge.cut };
    const entries = this.#entries.slice(0, maxKeys);
    const last = entries.at(-1);
    return { entries, next: last && behind(last) };
  }
}

function behind(last: VersionsPageEntry): Markers {
  return last.kind === 'prefix'
    ? { keyMarker: last.prefix, versionIdMarker: '' }
    : { keyMarker: last.key, versionIdMarker: last.versionId };
}
