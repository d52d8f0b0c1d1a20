import { mapLimited } from '../../../lib/map-limited.js';
import { ArchiveScan, type ArchiveItem } from './archive-scan.js';
import { CallCount } from './call-count.js';
import { KeyReader, type VersionsSource } from './key-reader.js';
import { archiveList } from './lists.js';

const NAMES_PER_LISTING = 1000;
/** Indexes that are read at a time, where their listing entries do not say enough. */
const CONCURRENCY = 16;

/**
 * Whether any key of a bucket has a version or a delete marker: such a bucket is not empty. The
 * first key says so as a rule. Where there is none, all indexes are gone through that the janitor
 * has left of the keys whose versions were all deleted, some hundreds with each call.
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
