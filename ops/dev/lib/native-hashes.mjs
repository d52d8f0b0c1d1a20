import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';
import { ROOT } from './paths.mjs';

/**
 * Holds the native binaries of the HTTP library to the SHA-256 that the repository records for
 * them.
 *
 * The lock file holds a package of the registry to its hash, but says nothing of what was put into
 * `node_modules` afterwards, and has no hash for a package out of a git repository. This code reads
 * every request, and cannot be reviewed as a binary: only the recorded binary runs.
 */

const RECORD = 'ops/dev/native-hashes.json';

/**
 * The packages of the library, each with the `process.versions.modules` that it serves here: Node 20
 * and 22, and 24 and 25. Other versions are not served (../node-version.mjs).
 */
const LIBRARIES = [
  { folder: `${ROOT}/node_modules/uWebSockets.js`, modules: ['115', '127'] },
  { folder: `${ROOT}/node_modules/@btc-vision/uwebsockets.js`, modules: ['137', '141'] },
];

/** The folders of the binaries in uws-pack, and in releases of the project itself. */
const FOLDERS = ['dist/bin/', ''];

/** @param {string} modules as in `process.versions` @returns {string} the folder of its package */
export function libraryFor(modules) {
  const found = LIBRARIES.find((library) => library.modules.includes(modules));
  if (found === undefined) throw new Error(`there is no HTTP library for modules of ${modules}`);
  return found.folder;
}

/**
 * Path of the library's binary for this platform and this Node, as it was installed.
 *
 * @returns {string} of a file that need not be there
 */
export function nativeBinary(library = libraryFor(process.versions.modules)) {
  const { platform, arch, versions } = process;
  const name = `uws_${platform}_${arch}_${versions.modules}.node`;
  const paths = FOLDERS.map((folder) => `${library}/${folder}${name}`);
  return paths.find((path) => existsSync(path)) ?? `${library}/${FOLDERS[0]}${name}`;
}

/**
 * @param {string} [path] of a binary
 * @param {Record<string, string>} [recorded] SHA-256 in hex, by the name of the file
 * @throws {Error} with one line that names the file, the hash it should have and the one it has
 */
export function checkNativeBinary(path = nativeBinary(), recorded = recordedHashes()) {
  const shown = path.replace(`${ROOT}/`, '');
  if (!existsSync(path)) {
    throw new Error(
      `${shown} is missing: the HTTP library is not built for this platform and Node`,
    );
  }
  const expected = recorded[basename(path)] ?? `none, as ${RECORD} does not name it`;
  const found = sha256(path);
  if (found === expected) return;
  throw new Error(
    `${shown} is not the binary that was recorded (docs/dependencies.md): ` +
      `SHA-256 expected: ${expected}; found: ${found}`,
  );
}

/** Records the installed binaries; for developers who change the library and know its origin. */
export function recordNativeBinaries(
  libraries = LIBRARIES.map(({ folder }) => folder),
  record = `${ROOT}/${RECORD}`,
) {
  const hashes = libraries.flatMap((library, index) =>
    FOLDERS.filter((folder) => existsSync(`${library}/${folder}`))
      .flatMap((folder) => readdirSync(`${library}/${folder}`).map((name) => ({ folder, name })))
      .filter(({ name }) => isServed(name, LIBRARIES[index]?.modules ?? []))
      .map(({ folder, name }) => [name, sha256(`${library}/${folder}${name}`)]),
  );
  writeFileSync(record, JSON.stringify(Object.fromEntries(hashes.sort()), null, 2) + '\n');
}

/** @param {string} name of a file @param {readonly string[]} modules */
function isServed(name, modules) {
  const found = /^uws_[a-z\d]+_[a-z\d]+_(?<modules>\d+)\.node$/.exec(name)?.groups?.modules;
  return found !== undefined && modules.includes(found);
}

function recordedHashes() {
  return JSON.parse(readFileSync(`${ROOT}/${RECORD}`, 'utf8'));
}

/** @param {string} path */
function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
