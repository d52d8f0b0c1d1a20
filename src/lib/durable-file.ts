import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { threadId } from 'node:worker_threads';

/** The owner, group and mode of a file. */
export interface FileAccess {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** A file's content: as a whole, or in pieces that are written one after the other. */
export type FileContent = string | Uint8Array | readonly Uint8Array[];

/** A file that is not whole yet has this at the end of its name. */
export const UNFINISHED = /\.\d+-\d+-\d+\.tmp$/;

let counter = 0;

/** No two writers share one: neither two threads, nor a former process that still runs. */
function unfinished(file: string): string {
  counter += 1;
  return `${file}.${process.pid}-${threadId}-${counter}.tmp`;
}

/**
 * Puts a file in place at once: after a crash or a power cut, there is either the one before or this
 * one, whole. Resolves when it is on the disk.
 *
 * @param access - mode 0600 and the user of this process, unless it says otherwise
 * @throws system errors; then the one before is still there, and nothing else
 */
export async function writeDurably(
  file: string,
  content: FileContent,
  access?: FileAccess,
): Promise<void> {
  const temporary = unfinished(file);
  try {
    // A process of the same number may have left one: in a container, each start has the same.
    const handle = await open(temporary, 'w', 0o600);
    try {
      // Before its content is there, which its next owner's group may read.
      if (access !== undefined) await handle.chown(access.uid, access.gid);
      for (const piece of piecesOf(content)) await handle.writeFile(piece);
      await handle.chmod(access?.mode ?? 0o600);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    // Half a file would keep a full disk full; why it is only half is what the caller has to know.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(path.dirname(file));
}

/**
 * The same for a thread of its own, and for the start of a process. Mode 0600.
 *
 * @throws system errors; then the one before is still there, and nothing else
 */
export function writeDurablySync(file: string, content: FileContent): void {
  const temporary = unfinished(file);
  try {
    const fd = openSync(temporary, 'w', 0o600);
    try {
      for (const piece of piecesOf(content)) {
        const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
        for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      }
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  const folder = openSync(path.dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Makes the entries of a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Takes a file away for good, if it is there. */
export async function removeDurably(file: string): Promise<void> {
  await rm(file, { force: true });
  await syncFolder(path.dirname(file));
}

/** @returns undefined where there is no such file */
export async function readJson<T>(file: string): Promise<T | undefined> {
  const text = await ifThere(readFile(file, 'utf8'));
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** @returns undefined where the file is missing that the operation is about */
export async function ifThere<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes a folder of mode 0700, and those that it lies in, durably; nothing where it is there. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path.resolve(folder); made.length >= first.length; made = path.dirname(made)) {
    await syncFolder(path.dirname(made));
  }
}

function piecesOf(content: FileContent): readonly (string | Uint8Array)[] {
  return typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
}
