import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteSource } from '../../lib/cancellation.js';
import { syncFolder, ifThere } from '../../lib/durable-file.js';
import {
  locationOf,
  type ColdBackend,
  type ColdCopy,
  type ColdLocation,
  type ListedCopy,
} from '../cold-backend.js';
import { asColdError, ColdError } from '../cold-error.js';
import { readBody, readHeader, writeCopy, type ReadHeader } from './copy-file.js';
import {
  accountFolder,
  copyPath,
  foldersTo,
  isCopyId,
  isFanFolder,
  parsePolicyFolder,
  policyFolder,
  TEMPORARY,
} from './layout.js';

/**
 * Copies in a local directory, or in one that all gateways mount: a file each (copy-file.ts),
 * written under a temporary name, synced, renamed, and its folder synced. Any number of processes
 * may use it at once.
 */
export class DirectoryColdBackend implements ColdBackend {
  /** @param root - must exist: a device that is not mounted is noticed by its absence */
  constructor(private readonly root: string) {}

  async put(copy: ColdCopy, body: Buffer | ByteSource, signal?: AbortSignal): Promise<void> {
    await telling(async () => {
      const folders = [policyFolder(copy.policy), TEMPORARY];
      await this.#makeFolders(folders);
      const suffix = randomBytes(8).toString('hex');
      const temporary = join(this.root, ...folders, `${copy.id}.${suffix}`);
      try {
        await writeSynced(temporary, copy, body, signal);
        await this.#makeFolders(foldersTo(copy));
        await rename(temporary, copyPath(this.root, copy));
      } catch (error) {
        await rm(temporary, { force: true }).catch(ignore);
        throw error;
      }
      await ifThere(syncFolder(join(this.root, ...foldersTo(copy))));
    });
  }

  async find(location: ColdLocation): Promise<ColdCopy | undefined> {
    return telling(async () => {
      const opened = await this.#open(location);
      await opened?.file.close();
      return opened?.header.copy;
    });
  }

  async get(location: ColdLocation): Promise<{ copy: ColdCopy; body: ByteSource } | undefined> {
    const copy = await this.find(location);
    return copy && { copy, body: this.#bodyOf(location) };
  }

  /** The file is opened at the first read: a body that is never read holds no descriptor. */
  async *#bodyOf(location: ColdLocation): AsyncGenerator<Buffer> {
    try {
      const opened = await this.#open(location);
      if (opened === undefined)
        throw new ColdError('Corrupt', 'a copy was deleted under its reader');
      yield* readBody(opened.file, opened.header);
    } catch (error) {
      throw asColdError(error);
    }
  }

  async delete(location: ColdLocation): Promise<void> {
    await telling(async () => {
      const path = copyPath(this.root, location);
      await rm(path, { force: true });
      await ifThere(syncFolder(join(path, '..')));
    });
  }

  async *list(account: string): AsyncGenerator<ListedCopy> {
    for (const policy of await this.#policies()) {
      const folder = join(this.root, policyFolder(policy), accountFolder(account));
      for (const { name: fan } of await entriesOf(folder)) {
        if (!isFanFolder(fan)) continue;
        for (const { name: id } of await entriesOf(join(folder, fan))) {
          if (!isCopyId(id)) continue;
          const writtenAt = await writeTime(join(folder, fan, id));
          if (writtenAt !== undefined) yield { location: { policy, account, id }, writtenAt };
        }
      }
    }
  }

  async cleanUp(before: number): Promise<void> {
    for (const policy of await this.#policies()) {
      const folder = join(this.root, policyFolder(policy), TEMPORARY);
      for (const { name } of await entriesOf(folder)) {
        const path = join(folder, name);
        const writtenAt = await writeTime(path);
        if (writtenAt === undefined || writtenAt >= before) continue;
        await telling(() => rm(path, { force: true }));
      }
    }
  }

  /** @throws ColdError Corrupt for the copy of something else, too */
  async #open(
    location: ColdLocation,
  ): Promise<{ file: FileHandle; header: ReadHeader } | undefined> {
    const file = await ifThere(open(copyPath(this.root, location), 'r'));
    if (file === undefined) {
      // A missing copy is not an error; a missing root, such as an unmounted disk, is one.
      await stat(this.root);
      return undefined;
    }
    try {
      const header = await readHeader(file);
      const { policy, account, id } = locationOf(header.copy);
      if (policy === location.policy && account === location.account && id === location.id) {
        return { file, header };
      }
      throw new ColdError('Corrupt', 'a copy lies in the place of another');
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #policies(): Promise<number[]> {
    // `entriesOf` would not do: without the root it would find nothing, and no error.
    const entries = await telling(() => readdir(this.root));
    return entries.map(parsePolicyFolder).filter((policy) => policy !== undefined);
  }

  /** Each with its entry in the one above on disk; the root itself is never made. */
  async #makeFolders(names: readonly string[]): Promise<void> {
    let parent = this.root;
    for (const name of names) {
      const folder = join(parent, name);
      if (await made(folder)) await ifThere(syncFolder(parent));
      parent = folder;
    }
  }
}

async function writeSynced(
  path: string,
  copy: ColdCopy,
  body: Buffer | ByteSource,
  signal: AbortSignal | undefined,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await writeCopy(file, copy, body, signal);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** @returns false when it was there */
async function made(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A folder that is not there is empty. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  return telling(async () => (await ifThere(readdir(folder, { withFileTypes: true }))) ?? []);
}

async function writeTime(path: string): Promise<number | undefined> {
  return telling(async () => (await ifThere(stat(path)))?.mtimeMs);
}

/** @throws ColdError for what the file system says */
async function telling<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw asColdError(error);
  }
}

function ignore(): void {
  // cleanUp finds the files that could not be removed.
}
