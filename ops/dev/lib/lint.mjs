import process from 'node:process';
import { ROOT } from './paths.mjs';
import { packageFile, run } from './run.mjs';

/**
 * Checks of the sources that need no build; caches live in `.build/`, for the second run. The build
 * checks the TypeScript; JavaScript has its types in JSDoc.
 */
const LINTERS = [
  {
    name: 'types of the pages',
    args: [packageFile('typescript/bin/tsc'), '--project', 'console/tsconfig.pages.json'],
  },
  {
    name: 'types of ops',
    args: [packageFile('typescript/bin/tsc'), '--project', 'ops'],
  },
  {
    name: 'oxlint',
    args: [packageFile('oxlint/bin/oxlint'), '--deny-warnings', '--format', 'unix'],
  },
  { name: 'contexts', args: [`${ROOT}/ops/dev/contexts.mjs`] },
  {
    name: 'prettier',
    args: [
      packageFile('prettier/bin/prettier.cjs'),
      ...['--cache', '--cache-location', '.build/prettier-cache', '--log-level', 'warn'],
      ...['--check', '.'],
    ],
  },
];

/**
 * Runs the linters side by side, each with its output in one piece.
 *
 * @returns {Promise<string[]>} names of those that failed
 */
export async function lint() {
  const results = await Promise.all(LINTERS.map(runLinter));
  return results.filter((result) => result.code !== 0).map((result) => result.name);
}

/** @param {(typeof LINTERS)[number]} linter */
async function runLinter({ name, args }) {
  const startedAt = Date.now();
  const { code, output } = await run(process.execPath, args, { capture: true });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${code === 0 ? ' ok ' : 'FAIL'} ${name} (${seconds} s)`);
  if (output.trim() !== '') console.log(output.trimEnd());
  return { name, code };
}
