import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

let counter = 0;

/** The owner, group and mode of a file. */
export interface FileAccess {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Puts a file in place at once: after a crash, there is either the one before or this one.
 *
 * @param access - mode 0600 and the user of this process, unless it says otherwise
 * @throws system errors; then the one before is still there
 */
export async function writeDurably(
  file: string,
  content: string | Uint8Array,
  access?: FileAccess,
): Promise<void> {
  counter += 1;
  const temporary = `${file}.${process.pid}-${counter}.tmp`;
  try {
    // A process of the same number may have left one: in a container, each start has the same.
    const handle = await open(temporary, 'w', 0o600);
    try {
      // Before its content is there, which its next owner's group may read.
      if (access !== undefined) await handle.chown(access.uid, access.gid);
      await handle.writeFile(content);
      await handle.chmod(access?.mode ?? 0o600);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
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

/** @returns undefined where there is no such file */
export async function readJson<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}
