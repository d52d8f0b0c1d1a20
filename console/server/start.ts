import { setTimeout as delay } from 'node:timers/promises';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { AllowedHosts } from '../../src/config/allowed-hosts.js';
import { ConsoleMetrics } from '../../src/telemetry/console-metrics.js';
import { createLogger, type Logger } from '../../src/telemetry/logger.js';
import { isKeystone, loginName, type RosterEntry } from '../config/keys.js';
import type { ConsoleOptions } from '../config/load.js';
import type { S3Endpoint } from '../s3/s3-account.js';
import { parseUpstream } from '../swift/address.js';
import { authAddresses, storeAddresses } from '../swift/proxies.js';
import { Upstream } from '../swift/upstream.js';
import { Accounts } from './accounts.js';
import { AdminClient, trustOnly } from './admin-client.js';
import { Changes } from './changes.js';
import { describeError } from './app-errors.js';
import { buildApp } from './app.js';
import { ClientViews } from './client-address.js';
import type { ConsoleContext } from './context.js';
import { Events } from './events.js';
import { Jobs } from './jobs.js';
import { JOBS_TOPIC } from './common-routes.js';
import { KeystoneLogins } from './keystone-logins.js';
import { LoginLimits } from './login-limits.js';
import { LoginOffers } from './login-offers.js';
import { StoreLogins, type Logins } from './logins.js';
import { MetricsListener } from './metrics-listener.js';
import { OpenSurfaces } from './open-surfaces.js';
import { RUNS_TOPIC } from './runs/run-routes.js';
import { Runs } from './runs/runs.js';
import { Sessions } from './sessions.js';
import type { Surface, SurfaceTypes } from './surface.js';
import { ExclusiveAudit } from '../../src/lib/audit/exclusive-audit.js';
import { Traffic } from './traffic.js';

export interface StartOptions {
  readonly now?: () => number;
  readonly logger?: Logger;
  /** For tests, which do not wait. */
  readonly pause?: ConsoleContext['pause'];
}

/** The stream of events and the jobs of an idle session end no later than that. */
const SWEEP_MS = 1000;
const PROBE_IDLE_MS = 2000;

/** The console, from its preparation to its end. It serves nothing before `listen`. */
export class ConsoleServer {
  readonly context: ConsoleContext;
  readonly metrics: ConsoleMetrics;
  /** 0 before it listens. */
  port = 0;
  /** The port that `metrics_listen` was given; undefined where that key is empty. */
  metricsPort: number | undefined;
  readonly #surfaces: OpenSurfaces;
  readonly #traffic: Traffic;
  readonly #metricsListener: MetricsListener | undefined;
  readonly #sweep: NodeJS.Timeout;
  #app: FastifyInstance | undefined;
  #hosts: Pick<AllowedHosts, 'has'> = { has: () => false };
  #beginning: Promise<void> | undefined;

  private constructor(context: ConsoleContext, surfaces: OpenSurfaces) {
    const { sessions, options } = context;
    this.context = context;
    this.#surfaces = surfaces;
    this.metrics = new ConsoleMetrics({
      requestsInProgress: () => this.requestsInProgress,
      sessions: () => sessions.count,
      repairDebt: () => surfaces.repairDebt(),
    });
    this.#traffic = new Traffic(({ status, isLogin }) => {
      this.metrics.finished(status, isLogin);
    });
    const { metricsListen } = options;
    this.#metricsListener =
      metricsListen === '' ? undefined : new MetricsListener(metricsListen, this.metrics);
    this.#sweep = setInterval(() => {
      context.sessions.sweep();
    }, SWEEP_MS);
  }

  /**
   * Does all that can go wrong, but for listening.
   * @throws system errors when it cannot write its state
   */
  static async prepare(
    options: ConsoleOptions,
    all: readonly Surface[],
    {
      now = Date.now,
      logger = createLogger({ level: 'info', process: 'console' }),
      pause = (ms) => delay(ms, undefined, { ref: false }),
    }: StartOptions = {},
  ): Promise<ConsoleServer> {
    const surfaceTopics = all.flatMap(({ topics = [] }) => topics);
    const events = new Events([JOBS_TOPIC, RUNS_TOPIC, ...surfaceTopics]);
    const accounts = new Accounts(options.accounts);
    const logins = await openLogins(options, accounts);
    const audit = await openAudit(options, now, logger);
    const describe = (error: unknown) => describeError({ logger }, error, 'job');
    const { stateDir } = options;
    const context: ConsoleContext = {
      options,
      now,
      pause,
      logger,
      events,
      changes: new Changes(),
      store: new Upstream(storeAddresses(options)),
      s3: s3Endpoint(options),
      admin: new AdminClient(options),
      views: new ClientViews(options.trustedProxies),
      accounts,
      logins,
      sessions: new Sessions({ idleMs: options.sessionIdleHours * 3_600_000, now }),
      loginLimits: new LoginLimits({ perMinute: options.loginMaxPerMin, now }),
      loginOffers: new LoginOffers(now),
      audit,
      jobs: new Jobs({ events, now, describe }),
      runs: new Runs({ stateDir, events, audit, now, logger, describe }),
    };
    const surfaces = new OpenSurfaces(all);
    const server = new ConsoleServer(context, surfaces);
    try {
      surfaces.open(context);
      const hosts = () => server.#hosts;
      server.#app = await buildApp(context, surfaces, hosts, server.#traffic);
      await server.#app.ready();
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  /** @throws system errors when it cannot listen; then it may be tried again */
  async listen(): Promise<void> {
    const { bind, allowedHosts: others } = this.context.options;
    const server = this.#server();
    this.metricsPort = await this.#metricsListener?.listen();
    try {
      server.listen({ ...bind, exclusive: true });
      await once(server, 'listening');
    } catch (error) {
      this.#metricsListener?.close();
      throw error;
    }
    this.port = (server.address() as AddressInfo).port;
    this.#hosts = new AllowedHosts({ ...bind, port: this.port }, others);
    const { audit, runs, logger } = this.context;
    void runs.recover();
    // Once: what was paused goes on.
    this.#beginning ??= this.#surfaces.begin(() => audit.turn());
    // A former process may be busy with a change for long, which a start does not wait for.
    if (audit.isOurs) await this.#beginning;
    else {
      this.#beginning.catch((error: unknown) => {
        logger.error({ err: error }, 'a surface of the console has not begun its work');
      });
    }
  }

  /** The service of a surface; undefined where it is off, or has none. */
  service<Types extends SurfaceTypes>(surface: Surface<Types>): Types['service'] | undefined {
    return this.#surfaces.service(surface);
  }

  /** Lets go of the port; connections stay. `listen` takes it again. */
  pause(): void {
    this.#metricsListener?.close();
    const server = this.#server();
    if (server.listening) server.close();
  }

  get requestsInProgress(): number {
    return this.#traffic.inProgress;
  }

  /** Other users are let in from now on; who is none of them any more is logged out. */
  replaceAccounts(entries: readonly RosterEntry[]): void {
    const { accounts, sessions, options } = this.context;
    // Users of Keystone have their roles there.
    if (isKeystone(options.authUrl)) return;
    accounts.replace(entries);
    sessions.revokeWhere(({ user }) => accounts.find(loginName(user))?.role !== user.role);
  }

  /** Whether the store answers. @throws UpstreamError */
  async pingStore(): Promise<void> {
    const request = { method: 'GET', rawPath: '/healthcheck', idleMs: PROBE_IDLE_MS };
    const { body } = await this.context.store.send(request);
    body.resume();
  }

  /**
   * Takes no more connections, logs everybody out, which ends jobs and streams of events, and lets
   * requests under way finish; `close` comes after it. Has no limit of its own.
   */
  async drain(): Promise<void> {
    this.pause();
    this.context.sessions.endAll();
    await this.#traffic.drain();
  }

  /** Ends sessions, jobs and connections. */
  async close(): Promise<void> {
    const { sessions, events, store, logins, s3, admin, audit, runs, jobs } = this.context;
    clearInterval(this.#sweep);
    audit.giveUp();
    sessions.endAll();
    events.close();
    if (this.#app !== undefined) {
      this.pause();
      this.#server().closeAllConnections();
      await this.#app.close();
    }
    store.close();
    await logins.close();
    s3?.upstream.close();
    admin.close();
    await runs.close();
    await jobs.close();
    await this.#beginning?.catch(() => undefined);
    await this.#surfaces.close();
    await audit.close();
  }

  #server(): Server {
    if (this.#app === undefined) throw new Error('the console is not prepared');
    return this.#app.server;
  }
}

export type RunningConsole = Pick<
  ConsoleServer,
  'port' | 'metricsPort' | 'context' | 'service' | 'drain' | 'close'
>;

/**
 * Starts the console with these surfaces.
 * @throws system errors when it cannot listen, or not write its state
 */
export async function startConsole(
  options: ConsoleOptions,
  surfaces: readonly Surface[],
  start: StartOptions = {},
): Promise<RunningConsole> {
  const server = await ConsoleServer.prepare(options, surfaces, start);
  try {
    await server.listen();
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** @throws ConfigError */
async function openLogins(options: ConsoleOptions, accounts: Accounts): Promise<Logins> {
  const { authUrl } = options;
  if (isKeystone(authUrl)) return KeystoneLogins.open(options);
  return new StoreLogins(new Upstream(authAddresses(options)), accounts);
}

function openAudit(
  { stateDir, auditBytesMax }: ConsoleOptions,
  now: () => number,
  logger: Logger,
): Promise<ExclusiveAudit> {
  return ExclusiveAudit.open(stateDir, { now, bytesMax: auditBytesMax }, () => {
    logger.info({ stateDir }, 'the audit log is still in the hands of another console');
  });
}

/** @throws ConfigError when there is no certificate in the file that should have one */
function s3Endpoint({ s3Base, s3Region: region, s3CertFile }: ConsoleOptions) {
  if (s3Base === '') return undefined;
  const address = parseUpstream(s3Base);
  const upstream = new Upstream(address, trustOnly('s3_cert_file', s3CertFile));
  return { upstream, address, region } satisfies S3Endpoint;
}
