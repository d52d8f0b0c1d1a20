import { syncFolder } from '../../lib/durable-file.js';
import { prepareLayout } from './layout.js';
import { asStoreOpenError } from './open-error.js';
import { type EmbeddedStoreOptions, fillOptions } from './options.js';
import { assembleDeps, closeDeps } from './assemble.js';
import type { StoreDeps } from './deps.js';
import { storeOf, type EmbeddedStore } from './store.js';
import { openTables } from './tables.js';

export { StoreOpenError, type StoreOpenErrorCode } from './open-error.js';
export type { EmbeddedStoreOptions } from './options.js';
export type { RecoveryReport } from './recovery.js';
export type { EmbeddedStore, StoreStats } from './store.js';

/**
 * Opens the store in `options.directory`, or creates it. Every process of the service opens it for
 * itself; one of them, and only when no other service uses the directory, calls `recover()` first.
 * @throws StoreOpenError
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  return storeOf(await openDeps(options));
}

/**
 * Opens the store for its upkeep, beside a service or without one.
 * @throws StoreOpenError; what `work` throws
 */
export async function withOpenStore<T>(
  options: EmbeddedStoreOptions,
  work: (deps: StoreDeps) => Promise<T>,
): Promise<T> {
  const deps = await openDeps(options);
  try {
    return await work(deps);
  } finally {
    await closeDeps(deps);
  }
}

async function openDeps(options: EmbeddedStoreOptions): Promise<StoreDeps> {
  const filled = fillOptions(options);
  try {
    const layout = await prepareLayout(filled);
    const tables = await openTables(layout, filled.mapBytes, filled.onGateWait);
    // The index may just have been created: its name has to survive a crash too.
    await syncFolder(layout.directory);
    return assembleDeps(filled, layout, tables);
  } catch (error) {
    throw asStoreOpenError(error, options.directory);
  }
}
