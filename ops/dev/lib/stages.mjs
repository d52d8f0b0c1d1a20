import { existsSync, readdirSync } from 'node:fs';
import process from 'node:process';
import { ROOT } from './paths.mjs';

/**
 * The stages of `npm test`, in order. A stage takes the folders of `test/` that it names; the first
 * takes whatever no other names, so that a new folder of tests is never left out.
 *
 * `timeoutMs` bounds a stage that hangs: it is a guard, no measurement, and larger for large files.
 */
export const STAGES = [
  { name: 'unit', folders: null, timeoutMs: 20 * 60_000 },
  { name: 'contract', folders: ['contract'], timeoutMs: 6 * 60_000 },
  { name: 'integration', folders: ['integration', 'faults', 'swift'], timeoutMs: 20 * 60_000 },
  { name: 'clients', folders: ['clients'], timeoutMs: 24 * 60_000 },
  { name: 'browser', folders: ['browser'], timeoutMs: 6 * 60_000 },
];

const LARGE_FACTOR = process.env.RINGWAY_LARGE === '1' ? 6 : 1;

/** Folders of `test/` without tests of their own. */
const HELPERS = new Set(['support']);

/**
 * @param {readonly string[]} filters path prefixes of test sources, e.g. `test/http`; none means all
 * @returns {{ name: string, files: string[], timeoutMs: number }[]} with compiled files, relative to
 *   the checkout; stages without files are left out
 */
export function planStages(filters, files = compiledTests()) {
  const wanted = files.filter((file) => isWanted(sourceOf(file), filters));
  return STAGES.map(({ name, timeoutMs }) => ({
    name,
    timeoutMs: timeoutMs * LARGE_FACTOR,
    files: wanted.filter((file) => stageOf(file) === name),
  })).filter((stage) => stage.files.length > 0);
}

/** `dist/test/http/edge.test.js` → `test/http/edge.test.ts` */
export function sourceOf(file) {
  return file.replace(/^.*?\bdist\//, '').replace(/\.js$/, '.ts');
}

function stageOf(file) {
  const folder = sourceOf(file).split('/')[1];
  return STAGES.find((stage) => stage.folders?.includes(folder))?.name ?? 'unit';
}

function isWanted(source, filters) {
  return (
    filters.length === 0 || filters.some((prefix) => source.startsWith(prefix.replace(/^\.\//, '')))
  );
}

function compiledTests() {
  const folder = `${ROOT}/dist/test`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.test.js') && !HELPERS.has(name.split('/')[0]))
    .map((name) => `dist/test/${name}`)
    .sort();
}
