import { rmSync } from 'node:fs';
import process from 'node:process';
import { ROOT } from './paths.mjs';
import { packageFile, run } from './run.mjs';

/**
 * The folder into which V8 writes its coverage. The variable that names it is inherited, so worker
 * threads and forked listeners are counted as well; a process that is killed leaves nothing.
 */
const RAW = `${ROOT}/coverage/tmp`;

export function startCoverage() {
  rmSync(`${ROOT}/coverage`, { recursive: true, force: true });
  return RAW;
}

/**
 * Prints the totals and writes `coverage/lcov.info`, in terms of the TypeScript sources.
 *
 * @returns {Promise<string[]>} what failed, if anything
 */
export async function reportCoverage() {
  // One file after the other: a whole run leaves thousands, of some gigabytes when all are in memory.
  const merge = ['--merge-async', '--temp-directory', RAW];
  const args = ['--max-old-space-size=6144', packageFile('c8/bin/c8.js'), 'report', ...merge];
  const { code } = await run(process.execPath, args);
  rmSync(RAW, { recursive: true, force: true });
  return code === 0 ? [] : [`the report ended with ${code}`];
}
