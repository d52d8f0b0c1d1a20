import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { ROOT } from './paths.mjs';
import { packageFile, run } from './run.mjs';
import { filesIn, hashOfFiles } from './source-hash.mjs';
import { writeTexts } from './texts-file.mjs';
import { codeOf } from './errors.mjs';

const DIST = `${ROOT}/dist`;

/**
 * The projects that can be compiled: each has its configurations, and the folders of its sources,
 * which are those that they include. The pages of the console know types of the server's; the tests
 * stand on the product and know its types; the product knows none of theirs.
 */
const PRODUCT = {
  folders: ['src', 'workers', 'supervisor', 'console'],
  configs: ['src/tsconfig.json', 'console/tsconfig.pages.json'],
};
const PROJECTS = {
  product: PRODUCT,
  all: {
    folders: [...PRODUCT.folders, 'bench', 'test'],
    configs: [...PRODUCT.configs, 'test/tsconfig.json'],
  },
};

/** The compiler's records of former builds. */
const RECORDS = ['src', 'pages', 'test'].map((name) => `${DIST}/${name}.tsbuildinfo`);

/**
 * Brings `dist/` up to date: what is compiled of changed sources, and the list of the console's texts.
 * @param {'product' | 'all'} scope `product`: what `npm start` runs; `all`: tests and bench as well
 * @throws {Error} when the compiler found errors, which it has printed
 */
export async function build(scope = 'all') {
  await compile(scope);
  await writeTexts();
}

/** @param {'product' | 'all'} scope */
async function compile(scope) {
  const { configs } = PROJECTS[scope];
  const wanted = sourceHash(PROJECTS[scope]);
  if (readStamp(scope) === wanted) return;

  console.log('ringway: compiling');
  mkdirSync(DIST, { recursive: true });
  for (const each of Object.keys(PROJECTS)) rmSync(stampOf(each), { force: true });
  removeOrphans(sources(PROJECTS.all.folders).map((path) => path.replace(/\.ts$/, '')));
  const compiler = packageFile('typescript/bin/tsc');
  const { code } = await run(process.execPath, [
    compiler,
    '--build',
    ...configs.map((config) => `${ROOT}/${config}`),
  ]);
  if (code !== 0) throw new Error('the compiler found errors (see above)');
  writeFileSync(stampOf(scope), wanted);
  // The compiler has brought the product up to date on its way to the tests.
  writeFileSync(stampOf('product'), sourceHash(PROJECTS.product));
}

/** @param {{ folders: readonly string[], configs: readonly string[] }} project */
function sourceHash({ folders, configs }) {
  return hashOfFiles(['tsconfig.json', ...configs, ...sources(folders)]);
}

/**
 * Paths of all TypeScript sources below `folders`, relative to the checkout, sorted.
 *
 * @param {readonly string[]} folders
 */
function sources(folders) {
  return folders.flatMap((folder) => filesIn(folder, /\.ts$/)).sort();
}

/**
 * Removes what was compiled from a source that is gone: mocha would still run a deleted test.
 *
 * @param {readonly string[]} stems paths of sources, without their suffix
 */
function removeOrphans(stems) {
  const known = new Set(stems);
  for (const path of filesIn('dist', /\.js$/)) {
    const stem = path.slice('dist/'.length, -'.js'.length);
    if (known.has(stem)) continue;
    for (const suffix of ['.js', '.js.map', '.d.ts']) {
      rmSync(`${DIST}/${stem}${suffix}`, { force: true });
    }
    // The compiler's records would claim that the file is still there.
    for (const record of RECORDS) rmSync(record, { force: true });
  }
}

/** @param {string} scope */
function stampOf(scope) {
  return `${DIST}/.ringway-build-${scope}`;
}

/** @param {string} scope */
function readStamp(scope) {
  try {
    return readFileSync(stampOf(scope), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
