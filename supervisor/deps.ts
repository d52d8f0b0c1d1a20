import { CONSOLE_PROGRAM } from '../console/program.js';
import {
  DEPLOY_PROGRAM,
  JANITOR_COMMAND_ENTRY,
  JANITOR_PROGRAM,
  LISTENER_PROGRAM,
  REPAIR_COMMAND_ENTRY,
  STORE_COMMAND_ENTRY,
  STORE_PROGRAM,
} from '../src/processes/programs.js';
import type { RunDeps } from './run.js';
import { recoverStore } from './store.js';

/** The parts of the service. */
export const PARTS: RunDeps = {
  programs: {
    listener: LISTENER_PROGRAM,
    janitor: JANITOR_PROGRAM,
    store: STORE_PROGRAM,
    console: CONSOLE_PROGRAM,
    deploy: DEPLOY_PROGRAM,
  },
  janitorCommand: JANITOR_COMMAND_ENTRY,
  repairCommand: REPAIR_COMMAND_ENTRY,
  storeCommand: STORE_COMMAND_ENTRY,
  recoverStore,
};
