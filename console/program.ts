import { fileURLToPath } from 'node:url';
import { SMALL_HEAP_FLAGS } from '../src/processes/programs.js';

/** The console as the supervisor starts it, without knowing what is in it. */
export const CONSOLE_PROGRAM = {
  entry: fileURLToPath(new URL('./console-process.js', import.meta.url)),
  environment: {},
  nodeFlags: SMALL_HEAP_FLAGS,
} as const;
