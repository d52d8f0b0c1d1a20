import { statSync } from 'node:fs';
import { ensureCredentials, readCredentials, type Credentials } from './credentials-file.js';
import { ACCESS_KEY_VARIABLE, environmentCredential } from './credentials.js';
import type { FilledOptions } from './options.js';
import { ConfigError } from './problem.js';
import { readSecretFile } from './secret-file.js';
import { readTempauthFile } from './tempauth-file.js';

/** What says where the credentials are. */
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
