import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListingEntry, ObjectPage, ObjectQuery } from '../backend.js';
import { BackendError } from '../errors.js';
import { afterKey, afterPrefix, scanKey } from './keys.js';
import { refresh, type Tables } from './tables.js';

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
  /** The first position behind all keys that can match. */
  readonly end: Buffer | undefined;
  /** The position to continue at; undefined when nothing can follow. */
  from: Buffer | undefined;
  readonly entries: ListingEntry[];
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
  const scan = beginScan(containerId, query);
  let slice = scanSlice(tables, scan);
  while (slice === 'unfinished') {
    await nextTurn();
    refresh(tables);
    slice = scanSlice(tables, scan);
  }
  return { entries: scan.entries, truncated: slice === 'truncated' };
}

function beginScan(containerId: number, query: ObjectQuery): Scan {
  const { prefix = '', delimiter = '', marker = '', limit } = query;
  const first = scanKey(containerId, prefix);
  return {
    containerId,
    prefix,
    delimiter,
    limit,
    end: afterPrefix(first),
    from:
      marker === '' ? first : laterOf(first, behindMarker(containerId, prefix, delimiter, marker)),
    entries: [],
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

/** What stands for all names that go on behind the first delimiter after the prefix. */
function rollUpOf(name: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !name.startsWith(prefix)) return undefined;
  const at = name.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : name.slice(0, at + delimiter.length);
}

type Slice = 'complete' | 'truncated' | 'unfinished';

function scanSlice(tables: Tables, scan: Scan): Slice {
  const deadline = performance.now() + SLICE_MS;
  while (scan.from !== undefined) {
    const run = scanRun(tables, scan, deadline);
    if (run !== 'sought') return run;
    if (performance.now() > deadline) return 'unfinished';
  }
  return 'complete';
}

/** Takes entries one after the other, to the end or to a roll-up, behind which a new run begins. */
function scanRun(tables: Tables, scan: Scan, deadline: number): Slice | 'sought' {
  const { containerId, prefix, delimiter, limit, entries } = scan;
  // lmdb's typings know one type of key; here keys are written as bytes and read as names.
  const range = { start: scan.from, ...(scan.end && { end: scan.end }) };
  for (const { key: name, value: object } of tables.objectScan.getRange(range as never)) {
    if (entries.length >= limit) return 'truncated';
    if (object instanceof BackendError) throw object;
    const rollUp = rollUpOf(name, prefix, delimiter);
    if (rollUp !== undefined) {
      entries.push({ kind: 'prefix', prefix: rollUp });
      scan.from = afterPrefix(scanKey(containerId, rollUp));
      return 'sought';
    }
    object.name = name;
    entries.push({ kind: 'object', object });
    if (entries.length % SLICE_CHECK === 0 && performance.now() > deadline) {
      scan.from = afterKey(scanKey(containerId, name));
      return 'unfinished';
    }
  }
  return 'complete';
}
