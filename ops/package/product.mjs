/** The product as it runs: compiled modules, pages, and the packages that it needs, nothing else. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../dev/lib/paths.mjs';
import { commandOutput, productVersion, put, sourceDate } from './tree.mjs';

/** Folders of `dist/`. */
const PARTS = ['src', 'supervisor', 'workers', 'console'];

/** Files of a package that Node loads or the console serves, and its licence. */
const KEPT =
  /(?:\.(?:js|mjs|cjs|json|wasm|css)|\.node)$|(?:^|\/)(?:licen[cs]e|copying|notice)[^/]*$/i;

/** Folders at the top of an installed package that nothing loads. */
const DEAD_FOLDERS = new Set([
  ...['test', 'tests', '__tests__', 'docs', 'doc', 'example', 'examples'],
  ...['bench', 'benchmark', 'benchmarks', '.github', 'dependencies'],
]);

/** Native modules for Linux on x64 with glibc, by the names that their packages give them. */
const OURS = [
  /(?:^|[/_.-])linux[_.-]x64(?:[/_.-]|$)/,
  /\/msgpackr-extract-linux-x64\//,
  /\/lmdb-linux-x64\//,
];
/** Other C libraries, and releases of Node that another binary serves (src/http/uws.ts) or none does. */
const FOREIGN = /musl|_(?:108|120)\.node$|@btc-vision\/.*_(?:115|127)\.node$/;

/**
 * @param {string} work an empty folder
 * @returns {string} the folder of the product
 */
export function productTree(work) {
  const folder = `${work}/product`;
  for (const part of PARTS) {
    put(
      `${ROOT}/dist/${part}`,
      `${folder}/dist/${part}`,
      (source) => !/\.(?:d\.ts|map|tsbuildinfo)$/.test(source) || isForBrowsers(source),
    );
    stripMapComments(`${folder}/dist/${part}`);
  }
  put(
    `${ROOT}/console`,
    `${folder}/console`,
    (source) => statSync(source).isDirectory() || /\.(?:html|css|svg)$/.test(source),
  );
  removeEmptyFolders(`${folder}/console`);
  put(`${ROOT}/LICENSE`, `${folder}/LICENSE`);
  put(`${ROOT}/package-lock.json`, `${folder}/package-lock.json`);
  put(`${ROOT}/package.json`, `${folder}/package.json`);
  commandOutput(
    'npm',
    ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    folder,
  );
  writeFileSync(`${folder}/package.json`, manifest());
  prune(`${folder}/node_modules`);
  return folder;
}

/** The package.json of the product: without the scripts and tools of the checkout. */
function manifest() {
  const {
    scripts,
    devDependencies,
    private: secret,
    ...rest
  } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'));
  void [scripts, devDependencies, secret];
  const gitHead = commandOutput('git', ['rev-parse', 'HEAD']);
  return `${JSON.stringify({ ...rest, gitHead }, null, 2)}\n`;
}

/** Scripts of pages keep their source maps: a browser shows them as they were written. @param {string} file */
function isForBrowsers(file) {
  return /\/dist\/console\/(?:ui|surfaces\/.*\/page)\//.test(file);
}

/** @param {string} folder */
function stripMapComments(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(folder, name);
    if (!name.endsWith('.js') || isForBrowsers(file)) continue;
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
  }
}

/** @param {string} modules */
function prune(modules) {
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!existsSync(file)) continue;
    if (entry.isSymbolicLink() || entry.name === '.bin' || entry.name === '.package-lock.json') {
      rmSync(file, { recursive: true, force: true });
    } else if (entry.isDirectory()) {
      const isOfPackage = existsSync(`${entry.parentPath}/package.json`);
      if (isOfPackage && DEAD_FOLDERS.has(entry.name)) rmSync(file, { recursive: true });
    } else if (!isKept(file)) rmSync(file);
  }
  removeEmptyFolders(modules);
}

/** @param {string} file */
function isKept(file) {
  if (!file.endsWith('.node')) return KEPT.test(file);
  return OURS.some((pattern) => pattern.test(file)) && !FOREIGN.test(file);
}

/** @param {string} folder @returns {boolean} whether nothing was left of it */
function removeEmptyFolders(folder) {
  const kept = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => !entry.isDirectory() || !removeEmptyFolders(`${folder}/${entry.name}`),
  );
  if (kept.length === 0) rmSync(folder, { recursive: true });
  return kept.length === 0;
}

/**
 * A bill of materials in CycloneDX. npm gives each one a number and the time of day: they are left
 * out, since two builds of one commit are one thing.
 *
 * @param {string} product
 * @param {string} file
 */
export function writeSbom(product, file) {
  const text = commandOutput(
    'npm',
    [
      'sbom',
      '--package-lock-only',
      '--omit=dev',
      '--sbom-format=cyclonedx',
      '--sbom-type=application',
    ],
    product,
  );
  const { serialNumber, ...bill } = JSON.parse(text);
  void serialNumber;
  bill.metadata.timestamp = new Date(sourceDate() * 1000).toISOString();
  writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
}

/**
 * The licences of all that is inside, package by package.
 *
 * @param {string} product
 * @returns {string}
 */
export function licences(product) {
  const own = `Ringway ${productVersion()}, Apache-2.0\n\n${readFileSync(`${product}/LICENSE`, 'utf8')}`;
  return [own, ...packageFolders(`${product}/node_modules`).map(licenceOf)].join(
    `\n${'-'.repeat(78)}\n\n`,
  );
}

/** @param {string} folder @returns {string} */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(?:licen[cs]e|copying|notice)/i.test(entry.name))
    .map((entry) => readFileSync(`${folder}/${entry.name}`, 'utf8').trim());
  return `${name} ${version}, ${typeof license === 'string' ? license : 'see below'}\n\n${texts.join('\n\n')}\n`;
}

/** @param {string} modules @returns {string[]} folders of installed packages, sorted */
function packageFolders(modules) {
  return readdirSync(modules, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?:^|\/node_modules\/|^)(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(name))
    .filter((name) => isPackage(name))
    .map((name) => path.join(modules, path.dirname(name)))
    .sort();
}

/** Folders of modules of another kind have a `package.json`, too. @param {string} name */
function isPackage(name) {
  const tail = name.split('/node_modules/').at(-1) ?? name;
  return /^(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(tail);
}
