import { build } from './build.mjs';
import { prepareHttpLibrary } from './http-library.mjs';
import { install } from './install.mjs';
import { withLock } from './lock.mjs';
import { ROOT } from './paths.mjs';

/**
 * @param {string | undefined} goal `install`: dependencies are there; `build`: and `dist/` is current
 * @throws {Error} with one line for the user
 */
export async function prepare(goal) {
  if (goal !== 'install' && goal !== 'build') {
    throw new Error('usage: node ops/dev/bootstrap.mjs install|build');
  }
  await withLock(
    `${ROOT}/.build/bootstrap.lock`,
    async () => {
      await install();
      if (goal !== 'build') return;
      await build();
      prepareHttpLibrary();
    },
    (holder) =>
      console.log(`ringway: waiting for process ${holder}, which is preparing this clone`),
  );
}
