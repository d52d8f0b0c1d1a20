import type { Roster } from '../src/config/credentials.js';
import { ConfigError } from '../src/config/problem.js';
import { StartError, type ChildService } from '../src/processes/child.js';
import type {
  ChildInit,
  HealthCheck,
  LoginOffer,
  StartFailure,
} from '../src/processes/protocol.js';
import { createLogger } from '../src/telemetry/logger.js';
import { consoleAccounts, deriveConsole } from './config/derive.js';
import type { ConsoleOptions } from './config/load.js';
import { ConsoleServer, type StartOptions } from './server/start.js';
import type { Surface } from './server/surface.js';
import { SURFACES } from './surfaces/registry.js';

/**
 * The console as a child of the service.
 * @param surfaces others than those that the console has, for tests
 */
export async function startConsoleChild(
  init: ChildInit,
  surfaces: readonly Surface[] = SURFACES,
): Promise<ChildService> {
  const { options, credentials, consoleConfig } = init;
  const { consoleListen: bind, logLevel: level } = options;
  const derived = deriveConsole(options, credentials, consoleConfig);
  if ('absent' in derived || bind === '') throw new StartError('internal', 'there is no console');
  const logger = createLogger({ level, process: 'console' });
  const server = await prepare({ ...derived.options, bind }, surfaces, { logger });
  return new ConsoleService(init, server);
}

/** @throws StartError `config` for files that it names, `store` for those that it keeps */
async function prepare(
  options: ConsoleOptions,
  surfaces: readonly Surface[],
  start: StartOptions,
): Promise<ConsoleServer> {
  try {
    return await ConsoleServer.prepare(options, surfaces, start);
  } catch (error) {
    const { message } = error as Error;
    throw new StartError(failureOf(error), `console: ${message}`, { cause: error });
  }
}

function failureOf(error: unknown): StartFailure {
  if (error instanceof ConfigError) return 'config';
  return (error as NodeJS.ErrnoException).code === undefined ? 'internal' : 'store';
}

class ConsoleService implements ChildService {
  constructor(
    private readonly init: ChildInit,
    private readonly server: ConsoleServer,
  ) {}

  async begin(): Promise<void> {
    try {
      await this.server.listen();
    } catch (error) {
      const { message } = error as Error;
      throw new StartError('listen', `console_listen: ${message}`, { cause: error });
    }
  }

  snapshot() {
    return this.server.metrics.snapshot();
  }

  async probe(): Promise<readonly HealthCheck[]> {
    const name = 'store';
    try {
      await this.server.pingStore();
      return [{ name, ok: true }];
    } catch (error) {
      return [{ name, ok: false, detail: (error as Error).message }];
    }
  }

  requestsInProgress(): number {
    return this.server.requestsInProgress;
  }

  offerLogin(offer: LoginOffer): void {
    this.server.context.loginOffers.offer(offer);
  }

  /** A roster of the console's own does not follow the credentials. */
  replaceCredentials(credentials: Roster): void {
    const { options, consoleConfig } = this.init;
    if (consoleConfig?.accounts !== undefined) return;
    this.server.replaceAccounts(consoleAccounts(options, credentials));
  }

  /** Connections that are not accepted yet are lost; browsers ask again. S3 loses nothing by it. */
  standAside(): Promise<boolean> {
    this.server.pause();
    return Promise.resolve(true);
  }

  async resume(): Promise<void> {
    await this.server.listen();
  }

  drain(): Promise<void> {
    return this.server.drain();
  }

  close(): Promise<void> {
    return this.server.close();
  }
}
