import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { churn } from './weak-churn.js';

/** One of several processes on a store, `weak-contender.js <directory> <who>`; answers its writes. */

const [directory = '', who = ''] = process.argv.slice(2);
const store = await openEmbeddedStore({ directory });
const lanes = [0, 1, 2].map((lane) => churn(store, `${who}${lane}`));
const writes = (await Promise.all(lanes)).flat();
await store.close();
process.send?.(writes);
process.disconnect();
