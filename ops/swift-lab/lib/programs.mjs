import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Debian's Python is the one that has Swift's modules; the first on the PATH may be another. */
export const PYTHON = '/usr/bin/python3';

/** Programs that a lab is made of, with the Debian package of each. */
const PROGRAMS = {
  'swift-proxy-server': 'swift-proxy',
  'swift-account-server': 'swift-account',
  'swift-container-server': 'swift-container',
  'swift-object-server': 'swift-object',
  'swift-object-expirer': 'swift-object-expirer',
  memcached: 'memcached',
  rsync: 'rsync',
};

/** The same of what is needed for TLS. */
const TLS_PROGRAMS = { haproxy: 'haproxy', openssl: 'openssl' };

/**
 * @param {string} name of a program of Swift's, or of Debian
 * @param {string} [root] folder that stands for `/` with Swift's programs, where packages of it were
 *   unpacked
 * @returns {string} absolute path
 */
export function programPath(name, root = '') {
  if (name === 'haproxy') return `/usr/sbin/${name}`;
  return `${name.startsWith('swift-') ? root : ''}/usr/bin/${name}`;
}

/**
 * Where Python finds the modules of a Swift that is not installed.
 *
 * @param {string} [root] folder that stands for `/`
 * @returns {string[]} none without a folder
 */
export function modulesOf(root) {
  return root === undefined ? [] : [`${root}/usr/lib/python3/dist-packages`];
}

/**
 * @param {{ tls?: boolean | undefined, swiftRoot?: string | undefined }} [lab]
 * @throws {Error} naming the packages, when programs are missing
 */
export function requirePrograms({ tls = false, swiftRoot } = {}) {
  const missing = Object.entries({ ...PROGRAMS, ...(tls ? TLS_PROGRAMS : {}) })
    .filter(([program]) => !existsSync(programPath(program, swiftRoot)))
    .map(([, name]) => name);
  if (missing.length === 0) return;
  throw new Error(`not installed: apt-get install --no-install-recommends ${missing.join(' ')}`);
}

export const PYTHON_FOLDER = fileURLToPath(new URL('../python', import.meta.url));

/**
 * Path of a Python file of the lab's own.
 *
 * @param {string} name
 */
export function pythonFile(name) {
  return `${PYTHON_FOLDER}/${name}`;
}

/** Folder of Ringway's filters for the proxies; it may not be there. */
export const FILTER_FOLDER = fileURLToPath(new URL('../../swift', import.meta.url));

export function hasFilter() {
  return existsSync(`${FILTER_FOLDER}/ringway_filter/__init__.py`);
}

/** Programs of Debian's packages that the console's Lab asks besides, by the key that names them. */
const HELPERS = {
  getnodes_bin: 'swift-get-nodes',
  objinfo_bin: 'swift-object-info',
  ringsim_bin: 'swift-ring-builder-analyzer',
};

/** @returns {Record<string, string>} keys of the console's configuration: what is installed */
export function helperPrograms() {
  const paths = Object.entries(HELPERS).map(([key, name]) => [key, programPath(name)]);
  return Object.fromEntries(paths.filter(([, path = '']) => existsSync(path)));
}

/** Keys of the console's configuration: benchmarks run the project's own harness. */
export const BENCHMARKS = {
  test_enabled: true,
  benchmark_bin: fileURLToPath(new URL('../../benchmark/ringway-benchmark.mjs', import.meta.url)),
  benchmark_home: fileURLToPath(new URL('../../benchmark', import.meta.url)),
};
