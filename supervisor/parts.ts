import { CONSOLE_PROGRAM } from '../console/program.js';
import { JANITOR_COMMAND_ENTRY, JANITOR_PROGRAM } from '../src/process/janitor-program.js';
import { LISTENER_PROGRAM } from '../src/process/listener-program.js';
import { STORE_PROGRAM } from '../src/process/store-program.js';
import type { Parts } from './run.js';
import { recoverStore } from './store.js';

/** What the service is made of. */
export const PARTS: Parts = {
  programs: {
    listener: LISTENER_PROGRAM,
    janitor: JANITOR_PROGRAM,
    store: STORE_PROGRAM,
    console: CONSOLE_PROGRAM,
  },
  janitorCommand: JANITOR_COMMAND_ENTRY,
  recoverStore,
};
