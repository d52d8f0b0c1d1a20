import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { unmountDevices } from './devices.mjs';
import { FOLDERS, layout } from './layout.mjs';
import { endProcesses } from './processes.mjs';
import { readState } from './state.mjs';

/**
 * Ends all processes of a lab and unmounts its devices. Harmless when nothing is up.
 *
 * @param {string} dir
 * @param {{ wipe?: boolean, id?: string | undefined }} [options] `wipe` removes the lab's files as
 *   well; `id` finds its processes also when its folder has been removed
 */
export async function down(dir, { wipe = false, id = readState(dir)?.id } = {}) {
  if (id !== undefined) await endProcesses(id, () => true);
  if (existsSync(dir)) await unmountDevices(dir);
  if (wipe) removeFiles(dir);
}

/**
 * Removes only what a lab makes; the state goes last, so that an interrupted wipe can be repeated.
 *
 * @param {string} dir
 */
function removeFiles(dir) {
  const { stateFile } = layout(dir);
  if (!existsSync(stateFile)) return;
  for (const folder of FOLDERS) rmSync(`${dir}/${folder}`, { recursive: true, force: true });
  rmSync(stateFile);
}

/**
 * Removes a lab's folder if nothing is in it.
 *
 * @param {string} dir
 */
export function removeIfEmpty(dir) {
  if (existsSync(dir) && readdirSync(dir).length === 0) rmdirSync(dir);
}
