import { fileURLToPath } from 'node:url';
import { SMALL_HEAP_FLAGS } from './heap-flags.js';

/** The janitor as the supervisor starts it, without knowing what is in it. */
export const JANITOR_PROGRAM = {
  entry: fileURLToPath(new URL('../janitor-process.js', import.meta.url)),
  environment: {},
  nodeFlags: SMALL_HEAP_FLAGS,
} as const;

/** What `ringway janitor` runs: one pass, or a dry run; see janitor-command-protocol.ts. */
export const JANITOR_COMMAND_ENTRY = fileURLToPath(
  new URL('../janitor-command.js', import.meta.url),
);
