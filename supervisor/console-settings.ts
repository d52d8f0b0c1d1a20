import { deriveConsole } from '../console/config/derive.js';
import { readConfigFile, type RawConfig } from '../src/config/config-file.js';
import { generateCredential, type Roster } from '../src/config/credentials.js';
import {
  listenOverlaps,
  localUrl,
  type FilledOptions,
  type ListenAddress,
} from '../src/config/options.js';
import { ConfigError } from '../src/config/problem.js';
import type { DeployOptions } from '../src/deploy/service/config.js';

/** The console's settings, as a start reads them from the configuration. */
export interface ConsoleSettings {
  /** The address to listen at; empty when there is no console. */
  readonly consoleListen: FilledOptions['consoleListen'];
  /** The contents of the file `console_config`; undefined without one. */
  readonly consoleConfig: RawConfig | undefined;
  /** Why there is no console, though an address is configured. */
  readonly consoleAbsent: string | undefined;
}

/** The sources of the console's configuration. */
export interface ConsoleInput {
  readonly options: FilledOptions;
  /** Undefined when the first start is to make a credential. */
  readonly roster: Roster | undefined;
  /** The control service of Deploy, of which the console is told. */
  readonly deploy: DeployOptions | undefined;
  /** Whether the address is from the command line, which wins over every file. */
  readonly isFlag: boolean;
}

/**
 * Checks the console's configuration as its process will read it.
 * @throws ConfigError with everything that is wrong with the file `console_config`, or when it leads
 *   the console to where something else of the service listens
 */
export function readConsoleSettings({
  options,
  roster,
  deploy,
  isFlag,
}: ConsoleInput): ConsoleSettings {
  const { consoleListen, consoleConfig: file } = options;
  const none = { consoleListen: '', consoleConfig: undefined } as const;
  if (consoleListen === '') return { ...none, consoleAbsent: undefined };
  try {
    const own = file === '' ? undefined : readConfigFile(file, file);
    const derived = deriveConsole(options, roster ?? [generateCredential()], own);
    if ('absent' in derived) return { ...none, consoleAbsent: derived.absent };
    const listen = isFlag ? consoleListen : derived.options.bind;
    expectFree(options, own?.bind === undefined || isFlag ? 'console_listen' : 'bind', listen);
    const known = deploy === undefined ? own : { ...deployKeys(deploy), ...own };
    return { consoleListen: listen, consoleConfig: known, consoleAbsent: undefined };
  } catch (error) {
    throw error instanceof ConfigError ? inFile(error, file) : error;
  }
}

/** How the console reaches the control service that runs beside it. */
function deployKeys({ listen, user, tokenFile, tlsCertFile }: DeployOptions): RawConfig {
  return {
    deploy_upstream: localUrl(listen, tlsCertFile === '' ? 'http' : 'https'),
    deploy_user: user,
    deploy_token_file: tokenFile,
  };
}

/** loadConfig cannot check the console's address when a console file names it. */
function expectFree(
  { backend, s3Listen, adminListen, storeListen }: FilledOptions,
  key: 'bind' | 'console_listen',
  address: ListenAddress,
): void {
  const store = backend === 'embedded' ? storeListen : '';
  const problems = listenOverlaps([
    { key: 's3_listen', address: s3Listen },
    { key: 'admin_listen', address: adminListen },
    ...(store === '' ? [] : [{ key: 'store_listen', address: store }]),
    { key, address },
  ]);
  if (problems.length > 0) {
    throw new ConfigError(problems.map((problem) => ({ source: 'file', ...problem })));
  }
}

/** Its keys have names that the service's own configuration has as well. */
function inFile({ problems }: ConfigError, file: string): ConfigError {
  const named = problems.map((problem) =>
    problem.key === 'console_listen'
      ? problem
      : problem.key.startsWith(file)
        ? { ...problem, key: `console_config: ${problem.key}` }
        : { ...problem, key: `console_config (${file}): ${problem.key}` },
  );
  return new ConfigError(named);
}
