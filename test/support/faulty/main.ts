import { fileURLToPath } from 'node:url';
import { CONSOLE_PROGRAM } from '../../../console/program.js';
import {
  JANITOR_COMMAND_ENTRY,
  DEPLOY_PROGRAM,
  JANITOR_PROGRAM,
  LISTENER_PROGRAM,
  REPAIR_COMMAND_ENTRY,
  STORE_PROGRAM,
} from '../../../src/processes/programs.js';
import { run } from '../../../supervisor/run.js';
import { recoverStore } from '../../../supervisor/store.js';

/** The service as it is, with listeners whose store is not what it should be. */
const entry = fileURLToPath(new URL('./listener.js', import.meta.url));

process.exit(
  await run(process.argv.slice(2), {
    programs: {
      listener: { ...LISTENER_PROGRAM, entry },
      janitor: JANITOR_PROGRAM,
      store: STORE_PROGRAM,
      console: CONSOLE_PROGRAM,
      deploy: DEPLOY_PROGRAM,
    },
    janitorCommand: JANITOR_COMMAND_ENTRY,
    repairCommand: REPAIR_COMMAND_ENTRY,
    storeCommand: REPAIR_COMMAND_ENTRY,
    recoverStore,
  }),
);
