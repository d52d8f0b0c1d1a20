/**
 * Kills its process before the Nth write of a journal, or of what is in force: loaded by
 * `node --import` before the control service. `KILL_FOLDER` is the state directory, `KILL_AT` is N.
 */
import { join } from 'node:path';
import process from 'node:process';
import { beforeChanges } from './changes.js';

const folder = process.env.KILL_FOLDER ?? '';
let left = Number(process.env.KILL_AT);

beforeChanges(folder, (path) => {
  const isJournal = path.startsWith(join(folder, 'runs/')) || path === join(folder, 'applied.json');
  if (isJournal && --left === 0) process.kill(process.pid, 'SIGKILL');
});
