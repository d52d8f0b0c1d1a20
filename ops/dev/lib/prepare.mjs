import { build } from './build.mjs';
import { install } from './install.mjs';
import { withLock } from './lock.mjs';
import { checkNativeBinary, recordNativeBinaries } from './native-hashes.mjs';
import { ROOT } from './paths.mjs';

/**
 * @param {string | undefined} goal `install`: dependencies are there, and the HTTP library is the one
 *   that was recorded; `product`: and what `npm start` runs is compiled; `build`: and tests and bench, too;
 *   `record`: the HTTP library that is installed is recorded as the one to run
 * @throws {Error} with one line for the user
 */
export async function prepare(goal) {
  if (!['install', 'product', 'build', 'record'].includes(goal ?? '')) {
    throw new Error('usage: node ops/dev/bootstrap.mjs install|product|build|record');
  }
  await withLock(
    `${ROOT}/.build/bootstrap.lock`,
    async () => {
      await install();
      if (goal === 'record') recordNativeBinaries();
      // Checked at each start, not only after an install: the file may have changed since.
      checkNativeBinary();
      if (goal === 'product') await build('product');
      if (goal === 'build') await build('all');
    },
    (holder) =>
      console.log(`ringway: waiting for process ${holder}, which is preparing this clone`),
  );
}
