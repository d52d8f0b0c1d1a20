import { openSwiftBackend, openTransport } from '../../src/backend/swift/index.js';
import { GATEWAY_SECRET, SERVICE_USER, startApi } from '../swift-api/support/api.js';
import { backendContract } from './backend-contract.js';
import type { OpenBackend } from './fixture.js';

/** The Swift client over our own Swift API over the embedded store: a store without any Swift. */
async function openOverApi(): Promise<OpenBackend> {
  const api = await startApi();
  const transport = openTransport({
    endpoints: [api.origin],
    filterSecret: GATEWAY_SECRET,
    credentialFor: () => SERVICE_USER,
    queueMax: 10_000,
    queueTimeoutMs: 60_000,
  });
  const backend = await openSwiftBackend({ transport, containerCacheMs: 0 });
  return {
    backend,
    async close() {
      await backend.close();
      await api.close();
    },
  };
}

backendContract('Swift client over our own Swift API', openOverApi, {
  listingRuns: 20,
  // The server breaks the connection off, and does not say why.
  cutCode: 'Unavailable',
  skip: {
    'of 50 MiB stream through bounded memory':
      'client and server share a process here, and the buffers of both count',
    'say when they were replaced and cleared away under a reader':
      'what the server has read ahead is read',
  },
});
