import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListedObject, ListingEntry, ObjectPage, ObjectQuery } from '../backend.js';
import { BackendError } from '../errors.js';
import { UNREAD_ENTRIES_MIN, type EntryVisitor, type UnreadPage } from '../unread-page.js';
import { afterKey, afterPrefix, scanKey } from './keys.js';
import type { UnreadRange } from './page-reader.js';
import type { StoreDeps } from './deps.js';
import { refresh, type ObjectScan, type Tables } from './tables.js';

/** A page that takes longer than this lets others have the loop, and goes on with a new snapshot. */
const SLICE_MS = 1;
/** Entries between two looks at the clock. */
const SLICE_CHECK = 128;

/** A page under construction. */
interface Scan {
  readonly containerId: number;
  readonly prefix: string;
  readonly delimiter: string;
  readonly limit: number;
  readonly visitor: EntryVisitor;
  /** The table of objects, decoded as the visitor needs it. */
  readonly objects: ObjectScan;
  /** The first position behind all keys that can match. */
  readonly end: Buffer | undefined;
  /** The position to continue at; undefined when nothing can follow. */
  from: Buffer | undefined;
  /** Entries so far. */
  count: number;
}

/**
 * One page of a container. Work is bounded by the page, not by the container: keys behind a roll-up
 * are never visited, the scan seeks past them.
 */
export async function listObjects(
  tables: Tables,
  containerId: number,
  query: ObjectQuery,
): Promise<ObjectPage> {
  const entries: ListingEntry[] = [];
  const scan = beginScan(tables.objectScan, containerId, query, collector(entries));
  let slice = scanSlice(scan, SLICE_MS);
  while (slice === 'unfinished') {
    await nextTurn();
    refresh(tables);
    slice = scanSlice(scan, SLICE_MS);
  }
  return { entries, truncated: slice === 'truncated' };
}

/** The same for who has a loop of its own. */
export function readObjects(tables: Tables, containerId: number, query: ObjectQuery): ObjectPage {
  const entries: ListingEntry[] = [];
  const scan = beginScan(tables.objectScan, containerId, query, collector(entries));
  return { entries, truncated: scanSlice(scan, Infinity) === 'truncated' };
}

/** The same entry by entry. @returns whether more follow */
export function visitObjects(
  tables: Tables,
  containerId: number,
  query: ObjectQuery,
  visitor: EntryVisitor,
): boolean {
  const scan = beginScan(tables.objectVisit, containerId, query, visitor);
  return scanSlice(scan, Infinity) === 'truncated';
}

/** Collects the entries of a table whose entries are objects of their own, types included. */
function collector(entries: ListingEntry[]): EntryVisitor {
  return {
    object: (object) => entries.push({ kind: 'object', object: object as ListedObject }),
    prefix: (prefix) => entries.push({ kind: 'prefix', prefix }),
  };
}

/** As {@link listObjects}; a page that has many entries is not read. */
export async function listUnread(
  { tables, index, options }: Pick<StoreDeps, 'tables' | 'index' | 'options'>,
  containerId: number,
  query: ObjectQuery,
): Promise<ObjectPage | UnreadPage> {
  const { limit, delimiter = '' } = query;
  if (limit <= UNREAD_ENTRIES_MIN) return listObjects(tables, containerId, query);
  if (delimiter === '') {
    if (!isLong(tables, containerId, query)) return listObjects(tables, containerId, query);
  } else {
    // Names that are rolled up cannot be counted.
    const beginning = { ...query, limit: UNREAD_ENTRIES_MIN };
    const page = await listObjects(tables, containerId, beginning);
    if (!page.truncated) return page;
  }
  const data: UnreadRange = { index, mapBytes: options.mapBytes, containerId, query };
  return { reader: 'embedded', data, transfer: [] };
}

/** Whether a page without roll-ups has many entries: LMDB passes over them, and none is read. */
function isLong(tables: Tables, containerId: number, query: ObjectQuery): boolean {
  const scan = beginScan(tables.objectScan, containerId, query, collector([]));
  if (scan.from === undefined) return false;
  // `getKeysCount` goes on to the end, whatever the limit.
  const range = { ...rangeOf(scan), offset: UNREAD_ENTRIES_MIN, limit: 1 };
  let keys = 0;
  tables.objectScan.getKeys(range).forEach(() => keys++);
  return keys > 0;
}

function beginScan(
  objects: ObjectScan,
  containerId: number,
  query: ObjectQuery,
  visitor: EntryVisitor,
): Scan {
  const { prefix = '', delimiter = '', marker = '', limit } = query;
  const first = scanKey(containerId, prefix);
  return {
    containerId,
    prefix,
    delimiter,
    limit,
    objects,
    visitor,
    end: afterPrefix(first),
    from:
      marker === '' ? first : laterOf(first, behindMarker(containerId, prefix, delimiter, marker)),
    count: 0,
  };
}

/** The first key that a marker leaves: behind it, or behind the roll-up that it lies in. */
function behindMarker(
  containerId: number,
  prefix: string,
  delimiter: string,
  marker: string,
): Buffer | undefined {
  const rollUp = rollUpOf(marker, prefix, delimiter);
  if (rollUp !== undefined) return afterPrefix(scanKey(containerId, rollUp));
  return afterKey(scanKey(containerId, marker));
}

function laterOf(first: Buffer, second: Buffer | undefined): Buffer | undefined {
  return second !== undefined && Buffer.compare(first, second) > 0 ? first : second;
}

/** The roll-up of all names that go on behind the first delimiter after the prefix. */
function rollUpOf(name: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !name.startsWith(prefix)) return undefined;
  const at = name.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : name.slice(0, at + delimiter.length);
}

/** lmdb's typings know one type of key; here keys are written as bytes and read as names. */
function rangeOf({ from, end }: Scan): object {
  return { start: from, ...(end && { end }) };
}

type Slice = 'complete' | 'truncated' | 'unfinished';

/** @param sliceMs how long it may take without letting others have the loop */
function scanSlice(scan: Scan, sliceMs: number): Slice {
  const deadline = performance.now() + sliceMs;
  while (scan.from !== undefined) {
    const run = scanRun(scan, deadline);
    if (run !== 'sought') return run;
    if (performance.now() > deadline) return 'unfinished';
  }
  return 'complete';
}

/** Takes entries one after the other, to the end or to a roll-up, behind which a new run begins. */
function scanRun(scan: Scan, deadline: number): Slice | 'sought' {
  const { containerId, prefix, delimiter, limit, visitor } = scan;
  for (const { key: name, value: object } of scan.objects.getRange(rangeOf(scan))) {
    if (scan.count >= limit) return 'truncated';
    if (object instanceof BackendError) throw object;
    const rollUp = rollUpOf(name, prefix, delimiter);
    if (rollUp !== undefined) {
      scan.count++;
      visitor.prefix(rollUp);
      scan.from = afterPrefix(scanKey(containerId, rollUp));
      return 'sought';
    }
    object.name = name;
    scan.count++;
    visitor.object(object);
    if (scan.count % SLICE_CHECK === 0 && performance.now() > deadline) {
      scan.from = afterKey(scanKey(containerId, name));
      return 'unfinished';
    }
  }
  return 'complete';
}
