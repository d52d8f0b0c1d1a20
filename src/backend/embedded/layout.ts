import { access, constants, mkdir, open, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, writeDurably, ifThere } from '../../lib/durable-file.js';
import { isIndexOpen } from './index-file.js';
import { StoreOpenError } from './open-error.js';
import type { FilledOptions } from './options.js';

/**
 * The contents of the data directory:
 *
 *   FORMAT            "ringway embedded store, format 2"
 *   index.mdb         LMDB: containers, objects, small bodies; its locks are the gate of IndexGate
 *   index.mdb-lock    LMDB's reader table and locks
 *   bodies/00 … ff    one file a larger body, named by its id in hex, in the folder of its last byte
 */

/**
 * Format 2 has the records of format 1. The number tells builds that do not know {@link IndexGate} to
 * stay away: they would undo commits.
 */
export const FORMAT_VERSION = 2;
/** The one before, which {@link leaveUngatedFormat} turns into ours. */
const UNGATED_VERSION = 1;
const FORMAT_TEXT = /^ringway embedded store, format (\d+)\n$/;
export const BODY_FOLDERS = 256;

export interface Layout {
  readonly directory: string;
  readonly index: string;
  readonly bodies: string;
}

export function layoutOf(directory: string): Layout {
  return { directory, index: join(directory, 'index.mdb'), bodies: join(directory, 'bodies') };
}

/**
 * Makes the directory ready to be opened, or says why it cannot be. Several processes may do this
 * at once.
 * @throws StoreOpenError, or an error of the file system
 */
export async function prepareLayout(options: FilledOptions): Promise<Layout> {
  const layout = layoutOf(options.directory);
  await prepareDirectory(layout.directory);
  await checkFormat(layout, options.openFreeBytesMin);
  await prepareBodyFolders(layout);
  return layout;
}

/** Bytes that an unprivileged process may still write on the device of `path`. */
export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

async function prepareDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!(await stat(directory)).isDirectory()) {
    throw new StoreOpenError('not_a_directory', `${directory} is not a directory`);
  }
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
}

async function checkRoom(directory: string, min: number): Promise<void> {
  const free = await freeBytes(directory);
  if (free >= min) return;
  throw new StoreOpenError(
    'full',
    `${directory} has ${free} bytes free; a new store needs at least ${min}`,
  );
}

/** Marks a new store, when there is room for one: an old one serves reads and deletes without. */
async function checkFormat(layout: Layout, createFreeBytesMin: number): Promise<void> {
  const path = formatFile(layout);
  let found = await ifThere(readFile(path, 'utf8'));
  if (found === undefined) {
    if ((await ifThere(stat(layout.index))) === undefined) {
      await checkRoom(layout.directory, createFreeBytesMin);
      return writeFormat(path);
    }
    // Another process may have made both since.
    found = await ifThere(readFile(path, 'utf8'));
  }
  const version = versionOf(found);
  if (version === FORMAT_VERSION || version === UNGATED_VERSION) return;
  const theirs = version === undefined ? 'an unknown format' : `format ${version}`;
  throw new StoreOpenError(
    'format_mismatch',
    `the store in ${layout.directory} has ${theirs}; this version reads format ${FORMAT_VERSION}`,
  );
}

function versionOf(text: string | undefined): number | undefined {
  const digits = text === undefined ? undefined : FORMAT_TEXT.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function formatFile({ directory }: Layout): string {
  return join(directory, 'FORMAT');
}

/**
 * Marks a store of an earlier build as ours, at the gate. No byte moves, so that there is no moment
 * without a mark and a full device has room for it.
 * @throws StoreOpenError `in_use`: a process of such a build has it open
 */
export async function leaveUngatedFormat(layout: Layout): Promise<void> {
  const path = formatFile(layout);
  const found = await ifThere(readFile(path, 'utf8'));
  if (found === undefined || versionOf(found) !== UNGATED_VERSION) return;
  if (isIndexOpen(layout)) {
    throw new StoreOpenError(
      'in_use',
      `the store in ${layout.directory} is open in a process of an earlier build, which would undo commits of this one: stop that service first`,
    );
  }
  const file = await open(path, 'r+');
  try {
    await file.write(String(FORMAT_VERSION), found.lastIndexOf(String(UNGATED_VERSION)));
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeFormat(path: string): Promise<void> {
  await writeDurably(path, `ringway embedded store, format ${FORMAT_VERSION}\n`);
}

async function prepareBodyFolders(layout: Layout): Promise<void> {
  const last = join(layout.bodies, folderName(BODY_FOLDERS - 1));
  if ((await ifThere(stat(last))) !== undefined) return;
  await mkdir(layout.bodies, { recursive: true, mode: 0o700 });
  // The folders are made in order, so the last one proves that all are there.
  for (let i = 0; i < BODY_FOLDERS; i++) {
    await mkdir(join(layout.bodies, folderName(i)), { recursive: true, mode: 0o700 });
  }
  await syncFolder(layout.bodies);
  await syncFolder(layout.directory);
}

export function folderName(folder: number): string {
  return folder.toString(16).padStart(2, '0');
}
