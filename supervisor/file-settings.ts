import { listenOverlaps, type FilledOptions, type ListenAddress } from '../src/config/options.js';
import { ConfigError, type ConfigProblem } from '../src/config/problem.js';

/** The common part of the files `console_config` and `deploy_config`. */

/**
 * loadConfig cannot check an address that another file names.
 * @param others - further addresses that are taken; empty for none
 * @throws ConfigError when something else of the service listens there
 */
export function expectFree(
  { backend, s3Listen, adminListen, storeListen }: FilledOptions,
  key: string,
  address: ListenAddress,
  others: Readonly<Record<string, ListenAddress | ''>> = {},
): void {
  const taken = {
    s3_listen: s3Listen,
    admin_listen: adminListen,
    store_listen: backend === 'embedded' ? storeListen : '',
    ...others,
  };
  const listens = Object.entries({ ...taken, [key]: address }).flatMap(([name, place]) =>
    place === '' ? [] : [{ key: name, address: place }],
  );
  const problems = listenOverlaps(listens).filter((problem) => problem.key === key);
  if (problems.length === 0) return;
  throw new ConfigError(problems.map((problem) => ({ source: 'file', ...problem })));
}

/** Its keys have names that the service's own configuration has as well. */
export function inFile(
  name: 'console_config' | 'deploy_config',
  file: string,
  problem: ConfigProblem,
): ConfigProblem {
  const which = problem.key.startsWith(file) ? name : `${name} (${file})`;
  return { ...problem, key: `${which}: ${problem.key}` };
}
