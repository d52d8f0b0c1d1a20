import { listenOverlaps, type FilledOptions } from '../src/config/options.js';
import { ConfigError, type ConfigProblem } from '../src/config/problem.js';
import { loadDeployConfig, type DeployOptions } from '../src/deploy/service/config.js';

/**
 * Checks the file `deploy_config` as the control service's process will read it.
 *
 * @returns undefined when there is none
 * @throws ConfigError with everything that is wrong with it, also when it leads the control service
 *   to where something else of the service listens
 */
export function readDeploySettings(options: FilledOptions): DeployOptions | undefined {
  const { deployConfig: file } = options;
  if (file === '') return undefined;
  try {
    const deploy = loadDeployConfig(file, '/');
    expectOwnAddress(options, deploy);
    return deploy;
  } catch (error) {
    throw error instanceof ConfigError ? inFile(error, file) : error;
  }
}

/** The console is told of the port before there is a process that could choose a free one. */
function expectOwnAddress(options: FilledOptions, { listen }: DeployOptions): void {
  const { backend, s3Listen, adminListen, storeListen, consoleListen } = options;
  const expected = 'a port other than 0, since the console is told of it';
  if (listen.port === 0) throw new ConfigError([{ source: 'file', key: 'listen', expected }]);
  const store = backend === 'embedded' ? storeListen : '';
  const problems = listenOverlaps([
    { key: 's3_listen', address: s3Listen },
    { key: 'admin_listen', address: adminListen },
    ...(store === '' ? [] : [{ key: 'store_listen', address: store }]),
    ...(consoleListen === '' ? [] : [{ key: 'console_listen', address: consoleListen }]),
    { key: 'listen', address: listen },
  ]).filter(({ key }) => key === 'listen');
  if (problems.length === 0) return;
  throw new ConfigError(problems.map((problem) => ({ source: 'file', ...problem })));
}

/** Its keys have names that the service's own configuration has as well. */
function inFile({ problems }: ConfigError, file: string): ConfigError {
  const named = problems.map((problem): ConfigProblem => {
    const isOfFile = problem.key.startsWith(file);
    const key = isOfFile
      ? `deploy_config: ${problem.key}`
      : `deploy_config (${file}): ${problem.key}`;
    return { ...problem, key };
  });
  return new ConfigError(named);
}
