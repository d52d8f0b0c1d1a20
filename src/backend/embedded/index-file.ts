import { closeSync, openSync } from 'node:fs';
import { access, constants, open } from 'node:fs/promises';
import { tryLock } from 'fs-native-extensions';
import { ifThere } from '../../lib/durable-file.js';
import type { Layout } from './layout.js';
import { StoreOpenError } from './open-error.js';

/** The start of an LMDB file on a little-endian machine (`MDB_page_header`, `MDB_meta` in mdb.c). */
const HEADER_BYTES = 32;
const FLAGS_AT = 18;
const META_PAGE = 0x08;
const MAGIC_AT = 24;
const MAGIC = 0xbeefc0de;
const VERSION_AT = 28;
const DATA_VERSION = 2;

/**
 * Refuses an index that LMDB would refuse. It is looked at beforehand, because lmdb-js 3.5.6 uses
 * freed memory when its open fails: the process dies instead of getting an error.
 * @throws StoreOpenError corrupt, format_mismatch; errors of the file system
 */
export async function checkIndexFile({ index }: Layout): Promise<void> {
  const header = await readStart(index);
  await checkLockFile(`${index}-lock`);
  // LMDB fills an empty file: its creator may have died right after creating it.
  if (header === undefined || header.length === 0) return;
  const whole = header.length === HEADER_BYTES;
  if (!whole || (header.readUInt16LE(FLAGS_AT) & META_PAGE) === 0 || !hasMagic(header)) {
    throw new StoreOpenError('corrupt', `${index} is damaged: it is not an LMDB file`);
  }
  const version = header.readUInt32LE(VERSION_AT);
  if (version === DATA_VERSION) return;
  throw new StoreOpenError(
    'format_mismatch',
    `${index} has LMDB data format ${version}; this version reads format ${DATA_VERSION}`,
  );
}

function hasMagic(header: Buffer): boolean {
  return header.readUInt32LE(MAGIC_AT) === MAGIC;
}

/**
 * Never opens the lock file: closing any descriptor of it would drop the locks that this process
 * holds on it (fcntl(2)) when it has the store open already, and with them LMDB's mutexes.
 */
async function checkLockFile(path: string): Promise<void> {
  await ifThere(access(path, constants.R_OK | constants.W_OK));
}

/**
 * Whether any process has the index open: each holds a lock on the first byte of LMDB's lock file.
 * Only for a process that has not: see {@link checkLockFile}.
 * @throws errors of the file system
 */
export function isIndexOpen({ index }: Layout): boolean {
  let fd: number;
  try {
    fd = openSync(`${index}-lock`, constants.O_RDWR);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  try {
    return !tryLock(fd, 0, 1);
  } finally {
    closeSync(fd);
  }
}

/** Opens for reading and writing, as LMDB will; undefined when there is no such file. */
async function readStart(path: string): Promise<Buffer | undefined> {
  const file = await ifThere(open(path, constants.O_RDWR));
  if (file === undefined) return undefined;
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const { bytesRead } = await file.read(header, 0, HEADER_BYTES, 0);
    return header.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
