import { open, rename, rm, stat } from 'node:fs/promises';
import { syncFolder } from '../../../lib/durable-file.js';
import { asStoreOpenError, StoreOpenError } from '../open-error.js';
import { checkIndexFile, isIndexOpen } from '../index-file.js';
import { IndexGate } from '../index-gate.js';
import { layoutOf } from '../layout.js';
import { fillOptions } from '../options.js';
import { openIndex, type Tables } from '../tables.js';

export interface Compaction {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Writes the index anew, without the free pages that deletions have left in it. No process may have it
 * open: LMDB maps the file, so it cannot be replaced below anybody. The old index is there until the new
 * one is on disk and has as many rows in each table.
 *
 * @throws StoreOpenError `in_use`, `full`, `corrupt`
 */
export async function compactIndex(directory: string): Promise<Compaction> {
  const layout = layoutOf(directory);
  const { mapBytes } = fillOptions({ directory });
  const copy = `${layout.index}.compact`;
  const gate = new IndexGate(layout.index);
  try {
    return await gate.alone(async () => {
      if (isIndexOpen(layout)) {
        throw new StoreOpenError(
          'in_use',
          `the store in ${directory} is open in a process: stop the service first`,
        );
      }
      await checkIndexFile(layout);
      await removeCopy(copy);
      const bytesBefore = (await stat(layout.index)).size;
      const rows = await withIndex(gate, layout.index, mapBytes, async (tables) => {
        await tables.root.backup(copy, true);
        return rowsIn(tables);
      });
      const copied = await withIndex(gate, copy, mapBytes, rowsIn);
      if (rows.join() !== copied.join()) {
        throw new StoreOpenError(
          'corrupt',
          `the copy of ${layout.index} has other rows: the index is damaged`,
        );
      }
      await syncFile(copy);
      const bytesAfter = (await stat(copy)).size;
      await rename(copy, layout.index);
      await syncFolder(directory);
      return { bytesBefore, bytesAfter };
    });
  } catch (error) {
    throw asStoreOpenError(error, directory);
  } finally {
    await removeCopy(copy);
    gate.close();
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function removeCopy(copy: string): Promise<void> {
  for (const path of [copy, `${copy}-lock`]) await rm(path, { force: true });
}

async function withIndex<T>(
  gate: IndexGate,
  index: string,
  mapBytes: number,
  work: (tables: Tables) => T | Promise<T>,
): Promise<T> {
  const tables = openIndex(gate, index, mapBytes, { readOnly: false });
  try {
    return await work(tables);
  } finally {
    await tables.root.close();
  }
}

function rowsIn({ meta, containers, usage, objects, bodies, reclaim, expiry }: Tables): number[] {
  return [meta, containers, usage, objects, bodies, reclaim, expiry].map(
    (table) => (table.getStats() as { entryCount: number }).entryCount,
  );
}
