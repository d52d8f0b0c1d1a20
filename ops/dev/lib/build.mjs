import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import process from 'node:process';
import { prepareHttpLibrary } from './http-library.mjs';
import { lockHash } from './install.mjs';
import { ROOT } from './paths.mjs';
import { packageFile, run } from './run.mjs';

const DIST = `${ROOT}/dist`;
const STAMP = `${DIST}/.ringway-build`;

/** Brings `dist/` up to date: the HTTP library's copy, and what is compiled of changed sources. */
export async function build() {
  prepareHttpLibrary();
  const wanted = sourceHash();
  if (readStamp() === wanted) return;

  console.log('ringway: compiling');
  mkdirSync(DIST, { recursive: true });
  rmSync(STAMP, { force: true });
  removeOrphans(sources().map((path) => path.replace(/\.ts$/, '')));
  const { code } = await run(process.execPath, [packageFile('typescript/bin/tsc'), '-p', ROOT]);
  if (code !== 0) throw new Error('the compiler found errors (see above)');
  writeFileSync(STAMP, wanted);
}

/** Of names, sizes and times, not of contents: a start that has nothing to do must be quick. */
function sourceHash() {
  const hash = createHash('sha256').update(lockHash());
  for (const path of ['tsconfig.json', ...sources()]) {
    const { size, mtimeMs } = statSync(`${ROOT}/${path}`);
    hash.update(`${path}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** Paths of all TypeScript sources, relative to the checkout, sorted. */
function sources() {
  const { include } = JSON.parse(readFileSync(`${ROOT}/tsconfig.json`, 'utf8'));
  return include.flatMap((folder) => filesIn(folder, '.ts')).sort();
}

function filesIn(folder, suffix) {
  if (!existsSync(`${ROOT}/${folder}`)) return [];
  return readdirSync(`${ROOT}/${folder}`, { recursive: true })
    .filter((name) => name.endsWith(suffix))
    .map((name) => `${folder}/${name}`);
}

/** Removes what was compiled from a source that is gone: mocha would still run a deleted test. */
function removeOrphans(stems) {
  const known = new Set(stems);
  for (const path of filesIn('dist', '.js')) {
    const stem = path.slice('dist/'.length, -'.js'.length);
    if (known.has(stem)) continue;
    rmSync(`${ROOT}/${path}`);
    rmSync(`${ROOT}/${path}.map`, { force: true });
    // The compiler's record would claim that the file is still there.
    rmSync(`${DIST}/tsconfig.tsbuildinfo`, { force: true });
  }
}

function readStamp() {
  try {
    return readFileSync(STAMP, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}
