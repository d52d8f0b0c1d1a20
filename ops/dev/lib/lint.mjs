import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ROOT } from './paths.mjs';
import { packageFile, run } from './run.mjs';
import { filesIn, hashOfFiles } from './source-hash.mjs';

/** Checks of the sources that need no build. The build checks the TypeScript. */
const LINTERS = [
  {
    name: 'types of ops',
    args: [packageFile('typescript/bin/tsc'), '--project', 'ops'],
  },
  {
    name: 'oxlint',
    args: [packageFile('oxlint/bin/oxlint'), '--deny-warnings', '--format', 'unix'],
  },
  { name: 'contexts', args: [`${ROOT}/ops/dev/contexts.mjs`] },
];

/**
 * The formatter is prettier. oxfmt writes the same in a fiftieth of the time, but for unions of types
 * that fit into one line: only files that it would change are shown to prettier.
 */
const OXFMT = [packageFile('oxfmt/bin/oxfmt'), '--list-different'];
const PRETTIER = [packageFile('prettier/bin/prettier.cjs'), '--log-level', 'warn', '--check'];

/** The sources that passed last; rules about types ask for all of them, so there is one stamp. */
const STAMP = `${ROOT}/.build/lint-passed`;
const FOLDERS = ['src', 'workers', 'supervisor', 'console', 'bench', 'test', 'ops', '.ci'];
const CHECKED = /\.(?:ts|js|mjs|json|css|html|ya?ml)$/;

/**
 * Runs the linters side by side, each with its output in one piece, unless nothing has changed since
 * they passed.
 *
 * @returns {Promise<string[]>} names of those that failed
 */
export async function lint() {
  const wanted = hashOfFiles([...readdirSync(ROOT).filter(isFile), ...FOLDERS.flatMap(checkedIn)]);
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) {
    console.log(' ok  linters: nothing has changed since they passed');
    return [];
  }
  rmSync(STAMP, { force: true });
  const results = await Promise.all([...LINTERS.map(runLinter), format()]);
  const failed = results.filter((result) => result.code !== 0).map((result) => result.name);
  if (failed.length === 0) {
    mkdirSync(path.dirname(STAMP), { recursive: true });
    writeFileSync(STAMP, wanted);
  }
  return failed;
}

/** @param {string} name */
function isFile(name) {
  return statSync(`${ROOT}/${name}`).isFile();
}

/** @param {string} folder */
function checkedIn(folder) {
  return filesIn(folder, CHECKED).sort();
}

async function format() {
  const { output } = await run(process.execPath, OXFMT, { capture: true });
  const files = output.split('\n').filter((line) => line !== '');
  return runLinter({ name: 'format', args: [...PRETTIER, '.prettierrc.json', ...files] });
}

/** @param {{ name: string, args: readonly string[] }} linter */
async function runLinter({ name, args }) {
  const startedAt = Date.now();
  const { code, output } = await run(process.execPath, args, { capture: true });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${code === 0 ? ' ok ' : 'FAIL'} ${name} (${seconds} s)`);
  if (output.trim() !== '') console.log(output.trimEnd());
  return { name, code };
}
