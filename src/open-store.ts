import { openEmbeddedStore, type EmbeddedStore } from './backend/embedded/index.js';
import type { FilledOptions } from './config/options.js';
import { storeDirectory } from './config/paths.js';
import { StartError } from './process/child.js';

/**
 * The store that the configuration names, as every child process opens it for itself.
 *
 * @param onSync - told how long each commit took and how many writes shared it
 * @throws StartError `store`
 */
export async function openStore(
  options: FilledOptions,
  onSync?: (seconds: number, batch: number) => void,
): Promise<EmbeddedStore> {
  try {
    return await openEmbeddedStore({
      directory: storeDirectory(options),
      inlineBodyBytesMax: options.inlineBodyBytesMax,
      onSync,
    });
  } catch (error) {
    throw new StartError('store', error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}
