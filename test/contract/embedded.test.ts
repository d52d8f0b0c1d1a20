import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../src/backend/embedded/index.js';
import { backendContract } from './backend-contract.js';

backendContract('embedded store', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ringway-contract-'));
  const backend = await openEmbeddedStore({ directory });
  return {
    backend,
    async close() {
      await backend.close();
      await rm(directory, { recursive: true });
    },
  };
});
