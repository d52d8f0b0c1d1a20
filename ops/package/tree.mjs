/** Files of a package before it is one: copies, modes, and times that are alike in each build. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ROOT } from '../dev/lib/paths.mjs';

/** Where the files lie that only a package has: units, scripts of the package manager. */
export const FILES = `${ROOT}/ops/package/files`;

/** @returns {number} seconds since 1970: the time of everything in a package */
export function sourceDate() {
  return Number(process.env.SOURCE_DATE_EPOCH);
}

/** @returns {string} of package.json, e.g. `1.0.0` */
export function productVersion() {
  return JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')).version;
}

/**
 * Copies a file or a folder of the checkout to `to`, and makes the folders above it.
 *
 * @param {string} from absolute
 * @param {string} to absolute
 * @param {(source: string) => boolean} [filter]
 */
export function put(from, to, filter) {
  mkdirSync(path.dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, ...(filter === undefined ? {} : { filter }) });
}

/** @param {string} file absolute @param {string} text @param {number} [mode] */
export function putText(file, text, mode = 0o644) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
}

/**
 * Gives everything below `folder` the modes that packages have, and the time of the commit.
 *
 * @param {string} folder
 * @param {ReadonlySet<string>} programs paths below it that can be executed
 */
export function settle(folder, programs) {
  const at = sourceDate();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || programs.has(path.relative(folder, file));
    if (!entry.isSymbolicLink()) chmodSync(file, isProgram ? 0o755 : 0o644);
    lutimesSync(file, at, at);
  }
  chmodSync(folder, 0o755);
  lutimesSync(folder, at, at);
}

/** @param {string} command @param {readonly string[]} args @param {string} [cwd] @returns {string} trimmed */
export function commandOutput(command, args, cwd = ROOT) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw new Error(`${command}: ${error.message}`);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout.trim();
}
