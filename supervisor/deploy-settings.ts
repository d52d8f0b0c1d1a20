import type { FilledOptions } from '../src/config/options.js';
import { ConfigError } from '../src/config/problem.js';
import { loadDeployConfig, type DeployOptions } from '../src/deploy/service/config.js';
import { expectFree, inFile } from './file-settings.js';

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
    const { listen } = deploy;
    // The console is told of the port before there is a process that could choose a free one.
    const expected = 'a port other than 0, since the console is told of it';
    if (listen.port === 0) throw new ConfigError([{ source: 'file', key: 'listen', expected }]);
    expectFree(options, 'listen', listen, { console_listen: options.consoleListen });
    return deploy;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map((one) => inFile('deploy_config', file, one)));
  }
}
