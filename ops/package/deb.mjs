import { chmodSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { FILES, commandOutput, put, putText, settle } from './tree.mjs';

/**
 * @typedef {object} DebianPackage
 * @property {string} name
 * @property {string} version
 * @property {'amd64' | 'all'} architecture
 * @property {string} depends
 * @property {readonly [string, string]} description one line, and the text below it
 * @property {readonly string[]} [conffiles] absolute paths
 * @property {readonly string[]} [programs] absolute paths
 * @property {string} [section]
 * @property {'xz' | 'gzip'} [compression] `gzip` takes seconds for a program of 100 MB, and half as
 *   much again on disk
 * @property {number} [level] of xz: higher ones take minutes for a program of 100 MB
 */

const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm'];

/**
 * Makes `<out>/<name>_<version>_<architecture>.deb` of a folder; `files/<name>.postinst` and the like
 * are its scripts.
 *
 * @param {DebianPackage} about
 * @param {string} tree
 * @param {string} out
 */
export function buildDeb(about, tree, out) {
  settle(tree, new Set((about.programs ?? []).map((program) => program.slice(1))));
  const size = sizeOf(tree);
  putText(`${tree}/DEBIAN/control`, control(about, size));
  if (about.conffiles !== undefined) {
    putText(`${tree}/DEBIAN/conffiles`, about.conffiles.map((file) => `${file}\n`).join(''));
  }
  const own = readdirSync(FILES);
  for (const script of SCRIPTS) {
    const name = `${about.name}.${script}`;
    if (!own.includes(name)) continue;
    put(`${FILES}/${name}`, `${tree}/DEBIAN/${script}`);
    chmodSync(`${tree}/DEBIAN/${script}`, 0o755);
  }
  chmodSync(`${tree}/DEBIAN`, 0o755);
  // One thread: with several, xz cuts its blocks by the number of processors.
  const file = `${out}/${about.name}_${about.version}_${about.architecture}.deb`;
  const { compression = 'xz', level = 6 } = about;
  const compress = [`-Z${compression}`, `-z${compression === 'gzip' ? 1 : level}`];
  const options = ['--root-owner-group', '--threads-max=1', ...compress, '--build'];
  commandOutput('dpkg-deb', [...options, tree, file]);
}

/** @param {DebianPackage} about @param {number} size in KiB */
function control({ name, version, architecture, depends, description, section = 'net' }, size) {
  const [line, text] = description;
  return `Package: ${name}
Version: ${version}
Section: ${section}
Priority: optional
Architecture: ${architecture}
Maintainer: The Ringway developers <ringway@localhost>
Installed-Size: ${size}
Depends: ${depends}
Description: ${line}
${text
  .split('\n')
  .map((one) => ` ${one}`)
  .join('\n')}
`;
}

/** @param {string} folder @returns {number} KiB */
function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => {
      return sum + Math.ceil(statSync(path.join(parentPath, name)).size / 1024);
    }, 0);
}
