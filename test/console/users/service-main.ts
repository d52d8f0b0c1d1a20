import { fileURLToPath } from 'node:url';
import { CONSOLE_PROGRAM } from '../../../console/program.js';
import { JANITOR_COMMAND_ENTRY, JANITOR_PROGRAM } from '../../../src/process/janitor-program.js';
import { LISTENER_PROGRAM } from '../../../src/process/listener-program.js';
import { STORE_PROGRAM } from '../../../src/process/store-program.js';
import { run } from '../../../supervisor/run.js';
import { recoverStore } from '../../../supervisor/store.js';

/** The service as it is, with a console that reaches other hosts as a test wants it. */
const entry = fileURLToPath(new URL('./console-child.js', import.meta.url));

process.exit(
  await run(process.argv.slice(2), {
    programs: {
      listener: LISTENER_PROGRAM,
      janitor: JANITOR_PROGRAM,
      store: STORE_PROGRAM,
      console: { ...CONSOLE_PROGRAM, entry, environment: { TEST_SSH: process.env.TEST_SSH ?? '' } },
    },
    janitorCommand: JANITOR_COMMAND_ENTRY,
    recoverStore,
  }),
);
