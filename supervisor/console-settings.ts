import { deriveConsole } from '../console/config/derive.js';
import { readConfigFile, type RawConfig } from '../src/config/config-file.js';
import { generateCredential, type Roster } from '../src/config/credentials.js';
import { localUrl, type FilledOptions } from '../src/config/options.js';
import { ConfigError } from '../src/config/problem.js';
import type { DeployOptions } from '../src/deploy/service/config.js';
import { expectFree, inFile } from './file-settings.js';

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
    if (!(error instanceof ConfigError)) throw error;
    const named = error.problems.map((problem) =>
      problem.key === 'console_listen' ? problem : inFile('console_config', file, problem),
    );
    throw new ConfigError(named);
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
