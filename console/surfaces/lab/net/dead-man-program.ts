import path from 'node:path';
import process from 'node:process';
import { Plans } from './plans.js';
import { takeBack } from './take-back.js';

/**
 * Takes a fault back without the console: `node dead-man-program.js <plan file> [supervisor]`, the
 * latter where the supervisor starts it. It ends with 0 when nothing of it is left to take back, and
 * with 1 when it has to be tried again.
 */
const [, , file = '', starter] = process.argv;
const by = starter === 'supervisor' ? 'supervisor' : 'dead_man';
const id = path.basename(file).replace(/\.plan\.json$/, '');
const report = await takeBack(new Plans(path.dirname(file)), id, by);
process.exitCode = report === undefined || report.outcomes.every(({ ok }) => ok) ? 0 : 1;
