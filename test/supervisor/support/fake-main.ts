import { fileURLToPath } from 'node:url';
import { DEPLOY_PROGRAM } from '../../../src/processes/programs.js';
import { run } from '../../../supervisor/run.js';

const entry = fileURLToPath(new URL('./fake-listener.js', import.meta.url));

/** The supervisor's program as it is, with fake children and no store. */
process.exit(
  await run(process.argv.slice(2), {
    programs: {
      listener: { entry, environment: {} },
      store: { entry, environment: {}, nodeFlags: ['--max-semi-space-size=2'] },
      janitor: {
        entry,
        environment: {
          FAKE_START: process.env.FAKE_JANITOR_START ?? '',
          FAKE_CRASH_FILE: process.env.FAKE_JANITOR_CRASH_FILE ?? '',
        },
      },
      console: { entry, environment: { FAKE_START: process.env.FAKE_CONSOLE_START ?? '' } },
      // Nothing is to be seen of it but its service.
      deploy: DEPLOY_PROGRAM,
    },
    janitorCommand: entry,
    repairCommand: entry,
    storeCommand: entry,
    recoverStore: () => Promise.resolve(),
  }),
);
