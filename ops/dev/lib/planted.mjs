import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { PLANTED } from '../planted/index.mjs';

/**
 * A bug to plant on purpose, and the tests that have to fail with it.
 *
 * @typedef {object} PlantedBug
 * @property {string} name `area: what the bug does`, unique
 * @property {string} file relative to the checkout. Where it has moved, the text is looked for in the
 *   other sources.
 * @property {string} find the text that is replaced. It has to occur once; how white space breaks
 *   does not count.
 * @property {string} replace
 * @property {readonly string[]} tests test sources: files, or folders that end with `/`
 * @property {string} [grep] only tests whose title matches
 */

/** Folders that may hold a bug: all that is served or started, and the filter for Swift. */
const SOURCE_FOLDERS = ['src', 'console', 'supervisor', 'workers', 'ops/swift'];
const SOURCE = /\.(?:ts|js|py)$/;

/** @param {readonly string[]} filters @returns {readonly PlantedBug[]} those whose name begins with one of the filters, or all */
export function plantedBugs(filters = []) {
  if (filters.length === 0) return PLANTED;
  return PLANTED.filter(({ name }) => filters.some((filter) => name.startsWith(filter)));
}

/** @param {string} root @returns {Map<string, string>} text by path of all sources, relative to `root` */
export function readSources(root) {
  const paths = SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => SOURCE.test(name))
      .map((name) => `${folder}/${name}`),
  );
  return new Map(paths.map((path) => [path, readFileSync(`${root}/${path}`, 'utf8')]));
}

/**
 * Finds the text of a bug.
 *
 * @param {PlantedBug} bug
 * @param {Map<string, string>} sources
 * @returns {{ path: string, text: string } | { stale: string }} the file as it is with the bug, or
 *   why the bug applies no more
 */
export function plant({ file, find, replace }, sources) {
  const pattern = patternOf(find);
  const own = sources.get(file);
  const here = own === undefined ? 0 : countOf(own, pattern);
  if (here > 1) return { stale: `its text occurs ${here} times in ${file}` };
  const holders = here === 1 ? [file] : holdersOf(pattern, sources);
  if (holders.length !== 1) {
    const where = holders.length === 0 ? 'nowhere' : `more than once: ${holders.join(', ')}`;
    return { stale: `its text is not in ${file}, and ${where} in the other sources` };
  }
  const [path = ''] = holders;
  return { path, text: (sources.get(path) ?? '').replace(pattern, () => replace) };
}

/**
 * @param {PlantedBug} bug
 * @param {Map<string, string>} sources
 * @param {string} root
 * @returns {string | undefined} why a bug of the list cannot be planted or its tests not be run
 */
export function staleness(bug, sources, root) {
  const planted = plant(bug, sources);
  if ('stale' in planted) return planted.stale;
  const missing = bug.tests.filter((path) => !existsSync(`${root}/${path}`));
  return missing.length === 0 ? undefined : `there is no ${missing.join(', no ')}`;
}

/**
 * One path for each time that the text occurs.
 *
 * @param {RegExp} pattern
 * @param {Map<string, string>} sources
 */
function holdersOf(pattern, sources) {
  return [...sources].flatMap(([path, text]) =>
    Array.from({ length: countOf(text, pattern) }, () => path),
  );
}

/**
 * @param {string} text
 * @param {RegExp} pattern
 */
function countOf(text, pattern) {
  return [...text.matchAll(new RegExp(pattern, 'g'))].length;
}

/**
 * Formatters break lines where they like, so any white space matches any other.
 *
 * @param {string} find
 */
function patternOf(find) {
  const escaped = find.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(escaped.replace(/\s+/g, '\\s+'));
}
