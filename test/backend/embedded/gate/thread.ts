import { parentPort, workerData } from 'node:worker_threads';
import { openTablesInThread } from '../../../../src/backend/embedded/tables.js';

/** A thread of a process that has the index open: opens a view of its own, and says so. */
openTablesInThread(workerData as string, 2 ** 30);
parentPort?.postMessage('opened');
