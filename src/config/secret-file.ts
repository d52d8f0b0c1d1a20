import { closeSync, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { FilledOptions, ListenAddress } from './options.js';
import { ConfigError } from './problem.js';

/** Others on the machine must not read or write a secret: the rule of ssh for its keys. */
const OTHERS = 0o077;

/**
 * The same of a file that systemd made by `LoadCredential`: it lets the user of a unit with
 * `DynamicUser` read by an ACL, whose mask a mode shows in the place of the group.
 */
const OTHERS_BESIDE_ACL = 0o037;

/**
 * The secret in a file of its own: its text without the line end.
 *
 * @param key - the configuration key that names the file, for the report
 * @param credentialsFolder - the absolute path of systemd's folder for the unit's credentials
 *   (systemd.exec, `LoadCredential`); undefined without any
 * @throws ConfigError when it cannot be read, is empty, or is open to others
 */
export function readSecretFile(
  key: string,
  file: string,
  credentialsFolder: string | undefined = process.env.CREDENTIALS_DIRECTORY,
): string {
  return readNamedFile(key, file, (fd, problem) => {
    const mode = fstatSync(fd).mode & 0o777;
    const fromSystemd = liesIn(credentialsFolder, file);
    if ((mode & (fromSystemd ? OTHERS_BESIDE_ACL : OTHERS)) !== 0) {
      const expected = fromSystemd
        ? 'mode 0440 or less, as systemd makes it'
        : `mode 0600, readable by its owner only (chmod 600 ${file})`;
      throw problem(expected, `mode ${mode.toString(8).padStart(4, '0')}`);
    }
    const secret = readFileSync(fd, 'utf8').replace(/\r?\n$/, '');
    if (!/^[\x21-\x7e]{1,512}$/.test(secret)) {
      throw problem('one line of 1 to 512 printable ASCII characters without spaces');
    }
    return secret;
  });
}

/** A problem of the file: what was expected of it, and what was found. */
type FileProblem = (expected: string, found?: string) => ConfigError;

/**
 * Opens a file that a configuration key names, reads it and closes it.
 *
 * @param key - the configuration key, for the report
 * @param read - reads the open file, and throws the problem that it finds
 * @throws ConfigError with key and file, also for what the file system refuses
 */
export function readNamedFile<T>(
  key: string,
  file: string,
  read: (fd: number, problem: FileProblem) => T,
): T {
  const problem: FileProblem = (expected, found) =>
    new ConfigError([{ source: 'file', key: `${key} (${file})`, expected, found }]);
  const unreadable = (error: unknown): ConfigError =>
    problem(`a readable file (${(error as Error).message})`);
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    throw unreadable(error);
  }
  try {
    return read(fd, problem);
  } catch (error) {
    throw error instanceof ConfigError ? error : unreadable(error);
  } finally {
    closeSync(fd);
  }
}

/** Whether the folder itself has the file, wherever links lead. */
function liesIn(folder: string | undefined, file: string): boolean {
  if (folder === undefined || !path.isAbsolute(folder)) return false;
  try {
    return path.dirname(realpathSync(file)) === realpathSync(folder);
  } catch {
    // One of them is not there, or may not be seen: then it is a file like any other.
    return false;
  }
}

/** The token that the admin port asks for; undefined when it asks for none. @throws ConfigError */
export function readAdminToken({
  adminTokenFile: file,
}: Pick<FilledOptions, 'adminTokenFile'>): string | undefined {
  return file === '' ? undefined : readSecretFile('admin_token_file', file);
}

/** Whether only this machine reaches the address. A name may be anything, but for one. */
export function isLoopback({ host }: ListenAddress): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** Keys that name files with secrets of the store. */
type SecretKey = 'swift_key_file' | 'swift_filter_secret_file' | 'store_filter_secret_file';

/** @returns undefined when the key is empty @throws ConfigError */
export function readStoreSecret(key: SecretKey, file: string): string | undefined {
  return file === '' ? undefined : readSecretFile(key, file);
}

/**
 * The files that the processes of this configuration will read, each for itself: what is wrong with
 * one is found before any of them is started.
 */
export function storeSecretReads({
  backend,
  storeListen,
  swiftKeyFile,
  swiftFilterSecretFile,
  storeFilterSecretFile,
}: FilledOptions): readonly (() => unknown)[] {
  if (backend === 'swift') {
    return [
      () => readStoreSecret('swift_key_file', swiftKeyFile),
      () => readStoreSecret('swift_filter_secret_file', swiftFilterSecretFile),
    ];
  }
  if (storeListen === '') return [];
  return [() => readStoreSecret('store_filter_secret_file', storeFilterSecretFile)];
}
