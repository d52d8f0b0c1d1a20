import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { ConfigError } from './problem.js';

/** What others on the machine can read or write is no secret: as ssh does with keys. */
const OTHERS = 0o077;

/**
 * The secret in a file of its own: its text without the line end.
 *
 * @param key - the configuration key that names the file, for the report
 * @throws ConfigError when it cannot be read, is empty, or is open to others
 */
export function readSecretFile(key: string, file: string): string {
  const problem = (expected: string, found?: string): ConfigError =>
    new ConfigError([{ source: 'file', key: `${key} (${file})`, expected, found }]);
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    throw problem(`a readable file (${(error as Error).message})`);
  }
  try {
    const mode = fstatSync(fd).mode & 0o777;
    if ((mode & OTHERS) !== 0) {
      const expected = `mode 0600, readable by its owner only (chmod 600 ${file})`;
      throw problem(expected, `mode ${mode.toString(8).padStart(4, '0')}`);
    }
    const secret = readFileSync(fd, 'utf8').replace(/\r?\n$/, '');
    if (!/^[\x21-\x7e]{1,512}$/.test(secret)) {
      throw problem('one line of 1 to 512 printable ASCII characters without spaces');
    }
    return secret;
  } catch (error) {
    throw error instanceof ConfigError
      ? error
      : problem(`a readable file (${(error as Error).message})`);
  } finally {
    closeSync(fd);
  }
}
