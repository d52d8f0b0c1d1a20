import path from 'node:path';
import process from 'node:process';
import { Plans } from './plans.js';
import { takeBack } from './take-back.js';

/**
 * Takes a fault back without the console: `node dead-man-program.js <plan file>`. It ends with 0
 * when nothing of it is left to take back, and with 1 when it has to be tried again.
 */
const file = process.argv[2] ?? '';
const id = path.basename(file).replace(/\.plan\.json$/, '');
const report = await takeBack(new Plans(path.dirname(file)), id, 'dead_man');
process.exitCode = report === undefined || report.outcomes.every(({ ok }) => ok) ? 0 : 1;
