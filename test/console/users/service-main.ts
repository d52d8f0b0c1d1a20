import { fileURLToPath } from 'node:url';
import { PARTS } from '../../../supervisor/deps.js';
import { run } from '../../../supervisor/run.js';

/** The service as it is, with a console that reaches other hosts as a test wants it. */
const entry = fileURLToPath(new URL('./console-child.js', import.meta.url));
const environment = { TEST_SSH: process.env.TEST_SSH ?? '' };
const console = { ...PARTS.programs.console, entry, environment };

process.exit(
  await run(process.argv.slice(2), { ...PARTS, programs: { ...PARTS.programs, console } }),
);
