import { fstatSync, readlinkSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';

/** A file or folder that is about to be synced, through a handle of this process. */
export interface Sync {
  readonly what: 'datasync' | 'sync';
  readonly path: string;
  /** Bytes that it has by now. */
  readonly size: number;
}

type Syncs = Record<Sync['what'], (this: FileHandle) => Promise<void>>;

/**
 * Tells of each sync before it is done, while `work` runs; what `onSync` throws, the sync is rejected
 * with. A killed process keeps the pages of its files, so that no test that kills one can show a
 * sync that is missing.
 */
export async function watchSyncs<T>(
  onSync: (sync: Sync) => void | Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  const handle = await open(tmpdir());
  await handle.close();
  /** All handles of this process share their methods. */
  const prototype = Object.getPrototypeOf(handle) as Syncs;
  const originals = { datasync: prototype.datasync, sync: prototype.sync };
  for (const what of ['datasync', 'sync'] as const) {
    prototype[what] = async function (this: FileHandle) {
      const path = readlinkSync(`/proc/self/fd/${this.fd}`);
      await onSync({ what, path, size: fstatSync(this.fd).size });
      await originals[what].call(this);
    };
  }
  try {
    return await work();
  } finally {
    Object.assign(prototype, originals);
  }
}
