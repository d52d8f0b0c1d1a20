import { WeakPreconditions } from '../../src/backend/decorators/weak-preconditions.js';
import { backendContract } from './backend-contract.js';
import { openTemporaryStore } from './embedded.js';

/** It keeps the time of each write beside the object, whether that can be read or not. */
const TIMES = 'the decorator goes by times of its own, and not by what has expired';

backendContract(
  'embedded store with weak preconditions',
  async () => {
    const opened = await openTemporaryStore();
    return { backend: new WeakPreconditions(opened.backend), close: () => opened.close() };
  },
  {
    skip: {
      'of 50 MiB stream through bounded memory': 'bodies are held between check and commit',
      'takes an object from every reader but one who asks for it': TIMES,
      'lets an object be created again, and be removed by who asks for it': TIMES,
      'is listed until what has expired is removed': TIMES,
    },
    // Each put is several: the properties are about listings, which it hardly touches.
    listingRuns: 10,
  },
);
