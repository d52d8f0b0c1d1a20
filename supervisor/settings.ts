import { readAdminToken, storeSecretReads } from '../src/config/secret-file.js';
import { readCertificates, type Certificates } from '../src/config/certificates.js';
import { type Credentials, readRoster } from '../src/config/roster-source.js';
import { loadConfig } from '../src/config/load.js';
import type { Roster, RosterEntry } from '../src/config/credentials.js';
import type { FilledOptions } from '../src/config/options.js';
import { ConfigError, describeProblem, takeAll } from '../src/config/problem.js';
import type { DeployOptions } from '../src/deploy/service/config.js';
import { openClusterRings } from '../src/ring/cluster.js';
import type { FlagValues } from './cli.js';
import { readDeploySettings } from './deploy-settings.js';
import { readConsoleSettings, type ConsoleSettings } from './console-settings.js';
import { Failure } from './exit-codes.js';

export interface Settings extends Omit<ConsoleSettings, 'consoleListen'> {
  /** `consoleListen` is empty when there is no console. */
  readonly options: FilledOptions;
  /** Warnings for the operator; none of them prevents the start. */
  readonly warnings: readonly string[];
  /** The credentials that a start would use; undefined when it would generate one. */
  readonly credentials: Credentials | undefined;
  readonly certificates: Certificates;
  /** The configuration of the control service of Deploy; undefined when there is none. */
  readonly deploy: DeployOptions | undefined;
}

/**
 * Reads and checks all that the operator gave: configuration file, flags, credentials,
 * certificates, the console's file. This is the whole of `check`, and the first step of `start`.
 * Changes nothing.
 * @throws Failure `usage` when only flags are wrong, `config` otherwise; `dataDirectory` when the
 *   working directory is gone
 */
export function readSettings(
  configFile: string | undefined,
  flags: FlagValues,
  env: NodeJS.ProcessEnv,
): Settings {
  try {
    const config = loadConfig({ file: configFile, flags, cwd: workingDirectory() });
    return readFiles(config.options, 'console_listen' in flags, env);
  } catch (error) {
    throw error instanceof ConfigError ? configFailure(error) : error;
  }
}

/**
 * Reads the rings of a configuration with direct reads, and keeps nothing: each process has its own.
 * @throws Failure `config`
 */
export async function checkRings(options: FilledOptions): Promise<void> {
  const { backend, swiftRingsDir: ringsDir, swiftConf } = options;
  if (backend !== 'swift' || ringsDir === '') return;
  try {
    await openClusterRings({ ringsDir, swiftConf });
  } catch (error) {
    throw error instanceof ConfigError ? configFailure(error) : error;
  }
}

/** A credential that every console could go by. */
const SOMEBODY: RosterEntry = {
  accessKey: 'nobody',
  secretKey: '',
  account: 'AUTH_nobody',
  role: 'owner',
  user: 'nobody:nobody',
};

/** All files that the configuration names. @throws ConfigError with everything that is wrong */
function readFiles(given: FilledOptions, consoleIsFlag: boolean, env: NodeJS.ProcessEnv): Settings {
  // A placeholder until the roster is read, or where it cannot be: the console's checks do not
  // depend on its users.
  let roster: Roster | undefined = [SOMEBODY];
  const readCredentials = (): Credentials | undefined => {
    const credentials = readRoster(given, env);
    roster = credentials?.roster;
    return credentials;
  };
  let deploy: DeployOptions | undefined;
  const [credentials, { warnings, ...certificates }, , { consoleListen, ...console }] = takeAll([
    readCredentials,
    () => readCertificates(given),
    () => (deploy = readDeploySettings(given)),
    () => readConsoleSettings({ options: given, roster, deploy, isFlag: consoleIsFlag }),
    () => readAdminToken(given),
    ...storeSecretReads(given),
  ]);
  const options = { ...given, consoleListen };
  return { options, warnings, credentials, certificates, deploy, ...console };
}

/** Relative paths, the default data directory among them, are relative to it. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    const { message } = error as Error;
    throw new Failure(
      'dataDirectory',
      `the working directory cannot be found (${message}); start from one that exists`,
      { cause: error },
    );
  }
}

/** A line for each problem. */
function configFailure({ problems }: ConfigError): Failure {
  const isUsage = problems.every(({ source }) => source === 'flag');
  const what = isUsage ? 'the command line cannot be used' : 'the configuration cannot be used';
  const lines = problems.map((problem) => `  ${describeProblem(problem)}`);
  return new Failure(isUsage ? 'usage' : 'config', [`${what}:`, ...lines].join('\n'));
}
