import { readFileSync, writeFileSync } from 'node:fs';
import { ROOT } from '../dev/lib/paths.mjs';
import { commandOutput, put } from './tree.mjs';

/**
 * `ringway-<version>.tgz` for `npm install --global`: npm fetches the packages that it needs, in
 * exactly the versions of this build.
 *
 * @param {string} product
 * @param {string} work
 * @param {string} out
 */
export function npmTarball(product, work, out) {
  const tree = `${work}/npm`;
  put(product, tree, (source) => !source.startsWith(`${product}/node_modules`));
  put(`${ROOT}/README.md`, `${tree}/README.md`);
  writeFileSync(`${tree}/npm-shrinkwrap.json`, readFileSync(`${tree}/package-lock.json`));
  commandOutput('npm', ['pack', '--ignore-scripts', '--silent', `--pack-destination=${out}`], tree);
}
