import { ConfigError } from '../src/config/problem.js';
import type { DeployOptions } from '../src/deploy/service/config.js';
import { Failure, type ExitReason } from './exit-codes.js';

/**
 * `ringway deploy`: takes an exported state over, where one is given, and ends. Otherwise the control
 * service, until SIGTERM or SIGINT. The step of a run that is under way ends first; the next start
 * tells what was left.
 *
 * @throws Failure
 */
export async function runDeploy(
  configFile: string,
  importFile: string | undefined,
): Promise<ExitReason> {
  // The other commands do without its libraries.
  const { loadDeployConfig } = await import('../src/deploy/service/config.js');
  const { startDeploy, StateUnfinishedError } = await import('../src/deploy/service/start.js');
  const { StateLockedError } = await import('../src/deploy/state/lock.js');
  let options: DeployOptions;
  try {
    options = loadDeployConfig(configFile, process.cwd());
  } catch (error) {
    throw error instanceof ConfigError ? new Failure('config', error.message) : error;
  }
  if (importFile !== undefined) return importInto(options, importFile);
  const stopped = firstSignal();
  try {
    const running = await startDeploy(options);
    process.stdout.write(`deploy: listening on port ${running.port}\n`);
    await stopped;
    await running.close();
    return 'ok';
  } catch (error) {
    if (error instanceof StateLockedError) throw new Failure('locked', error.message);
    if (error instanceof StateUnfinishedError) throw new Failure('config', error.message);
    throw new Failure(reasonOf(error), `deploy: ${(error as Error).message}`);
  }
}

/** @throws Failure */
async function importInto({ stateDir }: DeployOptions, file: string): Promise<ExitReason> {
  const { ArchiveError, importState } = await import('../src/deploy/state/import.js');
  const { StateLockedError } = await import('../src/deploy/state/lock.js');
  try {
    const files = await importState(file, stateDir);
    process.stdout.write(`deploy: imported ${files} files into ${stateDir}\n`);
    return 'ok';
  } catch (error) {
    if (error instanceof StateLockedError) throw new Failure('locked', error.message);
    if (error instanceof ArchiveError) throw new Failure('config', `${file}: ${error.message}`);
    throw new Failure(reasonOf(error), `deploy: ${(error as Error).message}`);
  }
}

function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    // Both stay handled: by default, the second one would cut a step in two.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        resolve();
      });
    }
  });
}

/** Why a start failed, by the code of the system's error. */
function reasonOf(error: unknown): ExitReason {
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  if (syscall === 'listen' || code.startsWith('EADDR')) return 'listen';
  if (code === 'ENOSPC') return 'full';
  return code === '' ? 'internal' : 'dataDirectory';
}
