import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { writeDurablySync } from '../lib/durable-file.js';
import {
  ACCESS_KEY_VARIABLE,
  environmentCredential,
  generateCredential,
  inForce,
  nextExpiry,
  parseRecords,
  renderCredentials,
  type CredentialRecord,
  type Roster,
} from './credentials.js';
import type { FilledOptions } from './options.js';
import { ConfigError } from './problem.js';
import { readSecretFile } from './secret-file.js';
import { readTempauthFile } from './tempauth.js';

export interface Credentials {
  readonly roster: Roster;
  /** `generated`: made just now, and to be shown to the operator this once. */
  readonly origin: 'file' | 'environment' | 'generated' | 'tempauth' | 'identity';
  /** Warnings for the operator; none of them prevents the start. */
  readonly warnings: readonly string[];
  /** When the next one expires, in milliseconds since 1970. */
  readonly expiresAtMs?: number;
}

/**
 * Checks what a start would use, and changes nothing.
 * @returns undefined when a start would generate a credential
 * @throws ConfigError
 */
export function readCredentials(file: string, env: NodeJS.ProcessEnv): Credentials | undefined {
  const fromEnvironment = environmentCredential(env);
  const records = readRecords(file);
  if (records === undefined) {
    return fromEnvironment && { roster: [fromEnvironment], origin: 'environment', warnings: [] };
  }
  const now = Date.now();
  const roster = inForce(records, now);
  const expiresAtMs = nextExpiry(records, now);
  const ignored =
    fromEnvironment !== undefined &&
    !records.some(
      ({ accessKey, secretKey }) =>
        accessKey === fromEnvironment.accessKey && secretKey === fromEnvironment.secretKey,
    );
  const warnings: string[] = ignored
    ? [`${ACCESS_KEY_VARIABLE} is not used: ${file} exists, and only the first start reads it`]
    : [];
  if (roster.length === 0) warnings.push(`${file}: all credentials are disabled or have expired`);
  const next = expiresAtMs === undefined ? {} : { expiresAtMs };
  return { roster, origin: 'file', warnings, ...next };
}

/**
 * The credentials of this start: the file's; at the first start the environment's, or a generated
 * one, which is written to the file.
 * @throws ConfigError when file or environment cannot be used; NodeJS.ErrnoException when the file
 * cannot be written
 */
export function ensureCredentials(file: string, env: NodeJS.ProcessEnv): Credentials {
  const credentials = readCredentials(file, env) ?? {
    roster: [generateCredential()],
    origin: 'generated',
    warnings: [],
  };
  if (credentials.origin !== 'file') writeDurablySync(file, renderCredentials(credentials.roster));
  return credentials;
}

/**
 * The data directory's own check explains the second of these better: a file lies where a folder
 * should be.
 */
const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR']);

/** @returns undefined when there is no file */
function readRecords(file: string): CredentialRecord[] | undefined {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw unreadable(file, error);
  }
  try {
    refuseOpenMode(file, fstatSync(fd).mode);
    return parseRecords(readFileSync(fd, 'utf8'), file);
  } catch (error) {
    throw error instanceof ConfigError ? error : unreadable(file, error);
  } finally {
    closeSync(fd);
  }
}

function unreadable(file: string, error: unknown): ConfigError {
  return new ConfigError([
    { source: 'file', key: file, expected: `a readable file (${(error as Error).message})` },
  ]);
}

/**
 * Refuses a file that other users of the machine can read or write, like ssh does with its keys.
 */
function refuseOpenMode(file: string, mode: number): void {
  if ((mode & 0o077) === 0) return;
  throw new ConfigError([
    {
      source: 'file',
      key: `mode of ${file}`,
      // Not in `given`: that would be masked when the file's name looks like a secret's.
      found: (mode & 0o777).toString(8).padStart(4, '0'),
      expected: `0600, readable by its owner only (chmod 600 ${file})`,
    },
  ]);
}

/** The options that say where the credentials are. */
export type RosterOptions = Pick<
  FilledOptions,
  'credentialsSource' | 'credentialsFile' | 'tempauthConf' | 'identityUser' | 'identityKeyFile'
>;

/**
 * Checks what a start would use, and changes nothing.
 * @returns undefined when a start would generate a credential
 * @throws ConfigError
 */
export function readRoster(
  options: RosterOptions,
  env: NodeJS.ProcessEnv,
): Credentials | undefined {
  switch (options.credentialsSource) {
    case 'file':
      return readCredentials(options.credentialsFile, env);
    case 'tempauth': {
      const { roster, warnings } = readTempauthFile(options.tempauthConf);
      return { roster, origin: 'tempauth', warnings: [...warnings, ...unusedVariable(env)] };
    }
    case 'identity':
      if (options.identityUser !== '') {
        readSecretFile('identity_key_file', options.identityKeyFile);
      }
      return { roster: [], origin: 'identity', warnings: unusedVariable(env) };
  }
}

/**
 * The credentials of this start; the first one with a file writes it.
 * @throws ConfigError when they cannot be used; NodeJS.ErrnoException when the file cannot be written
 */
export function ensureRoster(options: RosterOptions, env: NodeJS.ProcessEnv): Credentials {
  const read = options.credentialsSource === 'file' ? undefined : readRoster(options, env);
  return read ?? ensureCredentials(options.credentialsFile, env);
}

function unusedVariable(env: NodeJS.ProcessEnv): string[] {
  if (environmentCredential(env) === undefined) return [];
  return [`${ACCESS_KEY_VARIABLE} is not used: credentials_source is not file`];
}

/** @returns the file that changes of the roster come from; undefined when there is none */
export function rosterFile(options: RosterOptions): string | undefined {
  const files = {
    file: options.credentialsFile,
    tempauth: options.tempauthConf,
    identity: undefined,
  } as const;
  return files[options.credentialsSource];
}

/**
 * Reads the file again that a running service goes by.
 * @throws ConfigError, also when the file is gone
 */
export function rereadRoster(options: RosterOptions): Credentials {
  const credentials = readRoster(options, {});
  if (credentials !== undefined) return credentials;
  throw new ConfigError([
    { source: 'file', key: options.credentialsFile, expected: 'a file, as at the start' },
  ]);
}

/** Changes with every write of the file, and when another file takes its place. */
export function fileStamp(file: string): string {
  try {
    const { dev, ino, size, mode, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return [dev, ino, size, mode, mtimeNs, ctimeNs].join(':');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
