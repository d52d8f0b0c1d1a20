import { fileURLToPath } from 'node:url';
import { run } from '../../../supervisor/run.js';

/** The supervisor's program as it is, with fake listeners and no store. */
process.exit(
  await run(process.argv.slice(2), {
    listener: {
      entry: fileURLToPath(new URL('./fake-listener.js', import.meta.url)),
      environment: {},
    },
    recoverStore: () => Promise.resolve(),
  }),
);
