import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './paths.mjs';

/** The file with all texts of the console, and whether it is up to date. */

/**
 * @typedef {{ text: string, kind: import('./texts.mjs').Kind, places: string[] }} Text expressions in
 *   it are in braces; `places` are `file:line`, relative to `console/`
 */

/** Where the list is written: a part of what is built. */
export const TEXTS_FILE = `${ROOT}/dist/console/texts.json`;

const CONSOLE = `${ROOT}/console`;
const FOLDERS = ['ui', 'server', 'surfaces'];

/**
 * Writes the list, where a file of the console is newer than it. Only then is the extractor loaded,
 * and the parser with it.
 */
export async function writeTexts() {
  const files = FOLDERS.flatMap(filesIn);
  if (isNewest(TEXTS_FILE, files)) return;
  const { textsIn } = await import('./texts.mjs');
  mkdirSync(path.dirname(TEXTS_FILE), { recursive: true });
  writeFileSync(TEXTS_FILE, `${JSON.stringify(textsOf(files, textsIn), null, 1)}\n`);
}

/** @param {string} folder */
function filesIn(folder) {
  return readdirSync(`${CONSOLE}/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:js|ts|html)$/.test(name))
    .map((name) => `${folder}/${name}`)
    .sort();
}

/** @param {string} made @param {readonly string[]} files */
function isNewest(made, files) {
  if (!existsSync(made)) return false;
  const { mtimeMs } = statSync(made);
  const extractor = `${import.meta.dirname}/texts.mjs`;
  const own = [import.meta.filename, extractor];
  const sources = [...files.map((file) => `${CONSOLE}/${file}`), ...own];
  // A file that is gone leaves its folder newer.
  const folders = new Set(sources.map((file) => path.dirname(file)));
  return [...sources, ...folders].every((file) => statSync(file).mtimeMs < mtimeMs);
}

/**
 * @param {readonly string[]} files below `console/`
 * @param {typeof import('./texts.mjs').textsIn} textsIn
 * @returns {Text[]} by text
 */
function textsOf(files, textsIn) {
  /** @type {Map<string, Text>} */
  const all = new Map();
  for (const file of files) {
    const source = readFileSync(`${CONSOLE}/${file}`, 'utf8');
    for (const { text, kind, line } of textsIn(file, source)) {
      const key = `${kind}\0${text}`;
      const known = all.get(key) ?? { text, kind, places: [] };
      known.places.push(`${file}:${line}`);
      all.set(key, known);
    }
  }
  return [...all.values()].sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
}
