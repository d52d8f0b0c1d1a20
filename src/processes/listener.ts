import { startListener } from './listener-service.js';
import { runChild } from './child.js';

/**
 * The listener process: one event loop that serves S3 on the shared port. The supervisor forks
 * one per core (protocol.ts); nothing is shared between them but the store.
 */
runChild((init) => startListener(init));
