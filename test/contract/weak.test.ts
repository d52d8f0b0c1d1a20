import { WeakPreconditions } from '../../src/backend/decorators/weak-preconditions.js';
import { backendContract } from './backend-contract.js';
import { openTemporaryStore } from './embedded.js';

backendContract(
  'embedded store with weak preconditions',
  async () => {
    const opened = await openTemporaryStore();
    return { backend: new WeakPreconditions(opened.backend), close: () => opened.close() };
  },
  {
    skip: { 'of 50 MiB stream through bounded memory': 'bodies are held between check and commit' },
    // Each put is several: the properties are about listings, which it hardly touches.
    listingRuns: 10,
  },
);
