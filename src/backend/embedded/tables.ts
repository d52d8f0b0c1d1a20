import { type Database, open, type RootDatabase, type RootDatabaseOptions } from 'lmdb';
import { BackendError } from '../errors.js';
import { corrupt, utf8Slice } from './bytes.js';
import { ID_BYTES } from './keys.js';
import { decodeListed, visitedDecoder, type UnnamedEntry } from './object-record.js';
import { checkIndexFile } from './index-file.js';
import { IndexGate, type GateWaiter } from './index-gate.js';
import { leaveUngatedFormat, type Layout } from './layout.js';

export type Table = Database<Buffer, Buffer>;
/** The objects as a scan reads them: the name, and the entry or why it cannot be read. */
export type ObjectScan = Database<ScannedObject | BackendError, string>;

/** The name is set by the scan; the type is there in `objectScan` alone. */
export type ScannedObject = Omit<UnnamedEntry, 'contentType'>;

/** The open index. */
export interface Tables {
  /** Every commit passes it. */
  readonly gate: IndexGate;
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly meta: Table;
  readonly containers: Table;
  /** Objects and bytes, per container id; id 0 is the whole store. */
  readonly usage: Table;
  readonly objects: Table;
  /** The same table as `objects`, decoded for listings while it is scanned. */
  readonly objectScan: ObjectScan;
  /** The same with one and the same entry, for those who keep nothing of it. */
  readonly objectVisit: ObjectScan;
  /** Small bodies and the segment lists of large objects, by body id. */
  readonly bodies: Table;
  /** Files that may lie about without belonging to an object, by body id; the value is the owner. */
  readonly reclaim: Table;
  /** Objects that expire, by account and time: see expired-objects.ts. */
  readonly expiry: Table;
}

/** Reader slots: two for each process are enough, and 64 bytes each. */
const READERS_MAX = 1024;
/** Keys may take up to half a page: 4026 bytes, against 1978 with LMDB's usual 4 KiB. */
const PAGE_BYTES = 8192;

/**
 * Opens the index, alone: see {@link IndexGate}.
 * @param onWait - see there
 * @throws StoreOpenError; errors of the file system; an error of LMDB with a numeric `code`
 */
export async function openTables(
  layout: Layout,
  mapBytes: number,
  onWait?: (waiter: GateWaiter, seconds: number) => void,
): Promise<Tables> {
  for (;;) {
    const gate = new IndexGate(layout.index, onWait);
    try {
      // A compaction may have put another index in its place while this one waited.
      const tables = await gate.alone(async () => {
        if (gate.isReplaced()) return undefined;
        await leaveUngatedFormat(layout);
        await checkIndexFile(layout);
        return openIndex(gate, layout.index, mapBytes, { readOnly: false });
      });
      if (tables !== undefined) return tables;
      gate.close();
    } catch (error) {
      gate.close();
      throw error;
    }
  }
}

/**
 * The same for a thread that writes nothing, of a process that has the index open.
 * @throws as {@link openTables}
 */
export function openTablesInThread(index: string, mapBytes: number): Tables {
  const gate = new IndexGate(index);
  try {
    return gate.aloneSync(() => openIndex(gate, index, mapBytes, { readOnly: true }));
  } catch (error) {
    gate.close();
    throw error;
  }
}

/** Closes what {@link openTables} opened; nothing is written any more. */
export async function closeTables({ root, gate }: Tables): Promise<void> {
  // The last process to close destroys LMDB's mutexes, which an opener would find destroyed.
  await gate.alone(() => root.close());
  gate.close();
}

/**
 * Opens an index for a caller that is alone at the gate.
 *
 * `overlappingSync` is lmdb-js's default and off here: with it, a commit is visible before it is
 * synced. Off, LMDB's own order holds (pages, fdatasync, then the meta page through an O_DSYNC
 * descriptor), so that whatever any process can read is on disk, and the promise of a transaction
 * resolves when it is. The cost, measured: docs/embedded-store.md.
 */
export function openIndex(
  gate: IndexGate,
  index: string,
  mapBytes: number,
  { readOnly }: { readonly readOnly: boolean },
): Tables {
  const options: RootDatabaseOptions & { path: string; permissionsMode: number } = {
    path: index,
    permissionsMode: 0o600,
    noSubdir: true,
    pageSize: PAGE_BYTES,
    mapSize: mapBytes,
    maxDbs: 8,
    maxReaders: READERS_MAX,
    overlappingSync: false,
    // When this is on, each turn's writes get a promise without a reader: a failed commit would end
    // the process.
    eventTurnBatching: false,
    // Keeps freed memory of this process, keys included, out of the file.
    noMemInit: false,
    cache: false,
    readOnly,
    ...BINARY,
  };
  const root = open<Buffer, Buffer>(options);
  const table = (name: string): Table => root.openDB<Buffer, Buffer>({ name, ...BINARY });
  return {
    gate,
    root,
    meta: table('meta'),
    containers: table('containers'),
    usage: table('usage'),
    objects: table('objects'),
    objectScan: root.openDB('objects', objectScan(decodeListed)),
    objectVisit: root.openDB('objects', objectScan(visitedDecoder())),
    bodies: table('bodies'),
    reclaim: table('reclaim'),
    expiry: table('expiry'),
  };
}

/**
 * Forgets the snapshot that lmdb-js keeps for up to a timer's turn (1 ms or more). Without this, a
 * read could miss what another process acknowledged just before.
 */
export function refresh(tables: Tables): void {
  tables.root.resetReadTxn();
}

/**
 * The value in LMDB's shared read buffer: its `length` is right, its memory is larger, and the next
 * read overwrites it. Decode it, or {@link copyOf} it, before anything else happens.
 */
export function peek(table: Table, key: Buffer): Buffer | undefined {
  return table.getBinaryFast(key);
}

/**
 * A copy of `length` bytes from `start` of a value that {@link peek} gave.
 * @throws BackendError Corrupt for bytes that it does not have: behind it are those of other values
 */
export function copyOf(peeked: Buffer, start = 0, length: number = peeked.length): Buffer {
  if (!(start >= 0 && length >= 0 && start + length <= peeked.length)) {
    throw corrupt('a value is shorter than what is read of it');
  }
  const copy = Buffer.allocUnsafe(length);
  // Through a view of its own: Buffer.copy() and slice() trust a length that lmdb-js has overridden.
  copy.set(new Uint8Array(peeked.buffer, peeked.byteOffset + start, length));
  return copy;
}

/**
 * Puts a row inside a transaction whose key has to be the largest: LMDB then fills its
 * pages instead of halving them, and refuses any other key.
 * @returns false when it was refused (lmdb's typings hide that)
 */
export function append(table: Table, key: Buffer, value: Buffer): boolean {
  const put = table.putSync.bind(table) as (...args: Parameters<Table['putSync']>) => unknown;
  return put(key, value, { append: true }) === true;
}

const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;

/**
 * With `encoding: 'binary'` a scan copies each key and each value (1.4 ms for 1000 entries); these
 * turn LMDB's shared buffers into strings and numbers directly.
 */
const objectScan = (
  decodeEntry: (bytes: Buffer, length: number) => ScannedObject,
): RootDatabaseOptions => ({
  keyEncoder: {
    writeKey(key: Buffer, target: Buffer, start: number): number {
      target.set(key, start);
      return start + key.length;
    },
    readKey: (source: Buffer, start: number, end: number): string =>
      utf8Slice(source, start + ID_BYTES, end),
  },
  encoder: {
    encode: (value: Buffer): Buffer => value,
    // An error thrown here would leave the cursor open; the scan throws it after closing.
    decode(bytes: Buffer): ScannedObject | BackendError {
      try {
        return decodeEntry(bytes, bytes.length);
      } catch (error) {
        if (error instanceof BackendError) return error;
        throw error;
      }
    },
  },
});
