import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { lockHash } from './install.mjs';
import { ROOT } from './paths.mjs';

/**
 * Says whether sources, or the packages that are installed, have changed. The hash is of names, sizes
 * and times, not of contents: a start with nothing to do must be quick.
 *
 * @param {readonly string[]} paths relative to the checkout
 */
export function hashOfFiles(paths) {
  const hash = createHash('sha256').update(lockHash());
  for (const path of paths) {
    const { size, mtimeMs } = statSync(`${ROOT}/${path}`);
    hash.update(`${path}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/**
 * @param {string} folder relative to the checkout; one that is not there has no files
 * @param {RegExp} named
 * @returns {string[]} relative to the checkout
 */
export function filesIn(folder, named) {
  if (!existsSync(`${ROOT}/${folder}`)) return [];
  return readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => named.test(name))
    .map((name) => `${folder}/${name}`);
}
