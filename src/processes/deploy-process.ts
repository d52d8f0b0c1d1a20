import type { DeployOptions } from '../deploy/service/config.js';
import { startDeploy, type RunningDeploy } from '../deploy/service/start.js';
import { StateLockedError } from '../deploy/state/lock.js';
import { createLogger, type Logger } from '../telemetry/logger.js';
import { runChild, StartError, type ChildService } from './child.js';
import type { ChildInit, HealthCheck, StartFailure } from './protocol.js';

/**
 * The control service of Deploy as a process of the service: the supervisor forks one. S3 does not
 * pass through it.
 */
runChild(startDeployChild);

const RETRY_MS = 250;

function startDeployChild({ options, deploy }: ChildInit): Promise<ChildService> {
  if (deploy === undefined) throw new StartError('internal', 'deploy_config is empty');
  const logger = createLogger({ level: options.logLevel, process: 'deploy' });
  return Promise.resolve(new DeployService(deploy, logger));
}

class DeployService implements ChildService {
  #running: RunningDeploy | undefined;
  #problem = 'it has not begun';
  #isLeaving = false;
  #retry: NodeJS.Timeout | undefined;
  #opening: Promise<void> = Promise.resolve();

  constructor(
    private readonly deploy: DeployOptions,
    private readonly logger: Logger,
  ) {}

  /** At a reload the process before has the state until its step has ended: that is waited for. */
  async begin(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (!(error instanceof StateLockedError)) throw startError(error);
      this.#openLater(error);
    }
  }

  snapshot() {
    return Promise.resolve([]);
  }

  probe(): Promise<readonly HealthCheck[]> {
    const ok = this.#running !== undefined;
    const detail = ok ? undefined : this.#problem;
    return Promise.resolve([{ name: 'control service', ok, detail }]);
  }

  async drain(): Promise<void> {
    this.#isLeaving = true;
    clearTimeout(this.#retry);
    await this.#opening;
    await this.#running?.close();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #open(): Promise<void> {
    const { deploy, logger } = this;
    this.#running = await startDeploy(deploy, { logger });
    logger.info({ port: this.#running.port }, 'control service listening');
  }

  #openLater(error: unknown): void {
    const { message } = error as Error;
    if (message !== this.#problem) this.logger.warn({ problem: message }, 'control service waits');
    this.#problem = message;
    this.#retry = setTimeout(() => {
      this.#opening = this.#open().catch((again: unknown) => {
        if (!this.#isLeaving) this.#openLater(again);
      });
    }, RETRY_MS);
  }
}

function startError(error: unknown): StartError {
  const { code = '', syscall = '', message } = error as NodeJS.ErrnoException;
  const isListen = syscall === 'listen' || code.startsWith('EADDR');
  const failure: StartFailure = isListen ? 'listen' : code === '' ? 'internal' : 'store';
  return new StartError(failure, `deploy: ${message}`, { cause: error });
}
