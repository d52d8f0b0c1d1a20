import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import type { Roster } from './credentials.js';
import { ConfigError } from './problem.js';
import { parseTempauth } from './tempauth.js';

export interface TempauthFile {
  readonly roster: Roster;
  /** For the operator; nothing is wrong enough to stop. */
  readonly warnings: readonly string[];
}

/** Of a file that is read into memory whole; there are some 80 bytes to a user. */
const SIZE_MAX = 16 * 1024 * 1024;

const OTHERS = 0o007;

/** @throws ConfigError when it cannot be read, or is no configuration with users of tempauth */
export function readTempauthFile(file: string): TempauthFile {
  const problem = (expected: string): ConfigError =>
    new ConfigError([{ source: 'file', key: `tempauth_conf (${file})`, expected }]);
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    throw problem(`a readable file (${(error as Error).message})`);
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > SIZE_MAX) {
      throw problem(`a file of at most ${SIZE_MAX} bytes`);
    }
    return {
      roster: parseTempauth(readFileSync(fd, 'utf8'), file),
      warnings: modeWarnings(file, stats.mode),
    };
  } catch (error) {
    throw error instanceof ConfigError
      ? error
      : problem(`a readable file (${(error as Error).message})`);
  } finally {
    closeSync(fd);
  }
}

/** It is Swift's file, which has its own owner and group: what is wrong with it is only said. */
function modeWarnings(file: string, mode: number): string[] {
  if ((mode & OTHERS) === 0) return [];
  const given = (mode & 0o777).toString(8).padStart(4, '0');
  return [
    `${file} has the mode ${given}: everybody on this machine can use the keys of its users (chmod 640 ${file})`,
  ];
}
