import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { Plans } from '../../../console/surfaces/lab/net/plans.js';

/** Holds the lock of the plans in a folder for so many milliseconds, and is at work meanwhile. */
const [folder = '', ms = '0'] = process.argv.slice(2);
await new Plans(folder).locked(async () => {
  process.stdout.write('held\n');
  await delay(Number(ms));
});
