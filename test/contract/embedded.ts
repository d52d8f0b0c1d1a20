import { openEmbeddedStore } from '../../src/backend/embedded/index.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';
import type { OpenBackend } from './fixture.js';

/** An embedded store in a directory of its own, which goes when it is closed. */
export async function openTemporaryStore(): Promise<OpenBackend> {
  const directory = await makeTempFolder('contract');
  const backend = await openEmbeddedStore({ directory });
  return {
    backend,
    async close() {
      await backend.close();
      await removeFolder(directory);
    },
  };
}
