import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { messageOf } from '../../dev/lib/errors.mjs';
import { endAll, takeAway } from './up.mjs';

/**
 * A program that does something with a cluster of its own, which is taken away at its end. It ends
 * the process: with 1 where the work fails.
 *
 * @param {string} folder where the cluster is made by itself; `--dir` names another, `--keep` keeps it
 * @param {(dir: string) => Promise<void>} work
 * @param {(line: string) => void} say
 */
export async function runOnCluster(folder, work, say) {
  const { values } = parseArgs({
    options: { dir: { type: 'string', default: folder }, keep: { type: 'boolean' } },
  });
  const dir = resolve(values.dir);
  const end = async () => {
    await endAll(dir, say);
    await takeAway(dir);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(name, () => void end().then(() => process.exit(1)));
  }
  try {
    mkdirSync(resolve(dir, '..'), { recursive: true });
    try {
      await work(dir);
    } finally {
      if (values.keep !== true) await end();
    }
  } catch (error) {
    console.error(messageOf(error));
    process.exit(1);
  }
  process.exit(0);
}
