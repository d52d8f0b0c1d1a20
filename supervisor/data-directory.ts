import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { Failure } from './exit-codes.js';

/** Enough to notice a full device or an exhausted quota, and nothing to anybody else. */
const PROBE_BYTES = 64 * 1024;

/**
 * Creates the data directory where it is missing, and proves that it can be written, by writing:
 * modes and free blocks do not tell of quotas, read-only mounts and reserved space. A full device is
 * no reason to end for a service that has been there before: it is read, and emptied.
 * @returns a warning for the operator, when there is no room
 * @throws Failure `dataDirectory`, `full`
 */
export function prepareDataDirectory(dataDir: string): string | undefined {
  try {
    create(dataDir);
    if (!statSync(dataDir).isDirectory()) throw new Error('it is not a directory');
    probe(path.join(dataDir, '.ringway-probe'));
    return undefined;
  } catch (error) {
    if (!isFull(error) || !wasUsedBefore(dataDir)) throw directoryFailure(dataDir, error);
    return `the device of the data directory ${dataDir} is full: the service starts, and refuses what needs room`;
  }
}

function wasUsedBefore(dataDir: string): boolean {
  return statSync(lockFileOf(dataDir), { throwIfNoEntry: false })?.isFile() === true;
}

/** The file that the one service which uses a data directory has locked. It stays there. */
export function lockFileOf(dataDir: string): string {
  return path.join(dataDir, 'ringway.lock');
}

/**
 * Level by level: Node's recursive mkdir tries for ever in a place where nothing can be created
 * although it exists, such as /proc, and says ENOENT for a read-only file system.
 */
function create(directory: string): void {
  const status = statSync(directory, { throwIfNoEntry: false });
  if (status?.isDirectory() === true) return;
  const parent = path.dirname(directory);
  if (parent !== directory && status === undefined) create(parent);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another start may have been as fast; what else stands there is looked at by the caller.
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT') throw error;
    throw new Error(`nothing can be created in ${parent}`, { cause: error });
  }
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Whether an error of the file system says that there is no room. */
export function isFull(error: unknown): boolean {
  return FULL.has((error as NodeJS.ErrnoException).code);
}

/** The meaning of an error of the file system for the operator. */
export function directoryFailure(dataDir: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { message } = error as Error;
  return isFull(error)
    ? new Failure('full', `the device of the data directory ${dataDir} is full (${message})`)
    : new Failure('dataDirectory', `the data directory ${dataDir} cannot be used: ${message}`);
}

function probe(file: string): void {
  // One that was left, or a link: neither is written to.
  rmSync(file, { force: true });
  const fd = openSync(file, 'wx', 0o600);
  try {
    writeSync(fd, Buffer.alloc(PROBE_BYTES));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
    rmSync(file, { force: true });
  }
}
