import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../src/backend/embedded/index.js';
import type { OpenBackend } from './fixture.js';

/** An embedded store in a directory of its own, which goes when it is closed. */
export async function openTemporaryStore(): Promise<OpenBackend> {
  const directory = await mkdtemp(join(tmpdir(), 'ringway-contract-'));
  const backend = await openEmbeddedStore({ directory });
  return {
    backend,
    async close() {
      await backend.close();
      await rm(directory, { recursive: true });
    },
  };
}
