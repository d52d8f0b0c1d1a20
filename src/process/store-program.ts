import { fileURLToPath } from 'node:url';
import { LISTENER_PROGRAM } from './listener-program.js';

/** The store's Swift API as the supervisor starts it; it serves HTTP as listeners do. */
export const STORE_PROGRAM = {
  entry: fileURLToPath(new URL('../store-process.js', import.meta.url)),
  environment: LISTENER_PROGRAM.environment,
  nodeFlags: LISTENER_PROGRAM.nodeFlags,
} as const;
