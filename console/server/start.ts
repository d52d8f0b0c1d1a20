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
import { BenchmarkRuns } from '../surfaces/benchmarks/runs.js';
import { SURFACES } from '../surfaces/registry.js';
import { Lab } from '../surfaces/lab/lab.js';
import { Monitor } from '../surfaces/monitor/monitor.js';
import { recoverUsers } from '../surfaces/users/recovery.js';
import { USER_ADMIN, UserAdmin, type UserAdminOptions } from '../surfaces/users/user-admin.js';
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
import { RUNS_TOPIC } from './runs/run-routes.js';
import { Runs } from './runs/runs.js';
import { Sessions } from './sessions.js';
import { ExclusiveAudit } from '../../src/lib/audit/exclusive-audit.js';
import { Traffic } from './traffic.js';

export interface RunningConsole {
  readonly port: number;
  /** The port that `metrics_listen` was given; undefined where that key is empty. */
  readonly metricsPort: number | undefined;
  readonly context: ConsoleContext;
  /** Takes no more connections, and lets requests under way finish; `close` comes after it. */
  drain(): Promise<void>;
  /** Ends sessions, jobs and connections. */
  close(): Promise<void>;
}

export interface StartOptions {
  readonly now?: () => number;
  readonly logger?: Logger;
  readonly userAdmin?: UserAdminOptions;
  /** For tests, which do not wait. */
  readonly pause?: ConsoleContext['pause'];
}

/** What an idle session holds, its stream of events and its jobs, ends no later than that. */
const SWEEP_MS = 1000;
const PROBE_IDLE_MS = 2000;

/** The console, from its preparation to its end. It serves nothing before `listen`. */
export class ConsoleServer {
  readonly context: ConsoleContext;
  readonly metrics: ConsoleMetrics;
  readonly #traffic: Traffic;
  readonly #metricsListener: MetricsListener | undefined;
  readonly #sweep: NodeJS.Timeout;
  #app: FastifyInstance | undefined;
  #hosts: Pick<AllowedHosts, 'has'> = { has: () => false };
  #monitoring: Promise<void> | undefined;
  #recovering: Promise<unknown> | undefined;
  #recoveringBenchmarks: Promise<void> | undefined;

  private constructor(context: ConsoleContext) {
    const { sessions, options } = context;
    this.context = context;
    this.metrics = new ConsoleMetrics({
      requestsInProgress: () => this.requestsInProgress,
      sessions: () => sessions.count,
      repairDebt: () => context.lab?.debt.recent,
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
    {
      now = Date.now,
      logger = defaultLogger(),
      userAdmin = USER_ADMIN,
      pause = (ms) => delay(ms, undefined, { ref: false }),
    }: StartOptions = {},
  ): Promise<ConsoleServer> {
    const surfaceTopics = SURFACES.flatMap(({ topics = [] }) => topics);
    const events = new Events([JOBS_TOPIC, RUNS_TOPIC, ...surfaceTopics]);
    const admin = new AdminClient(options);
    const accounts = new Accounts(options.accounts);
    const logins = await openLogins(options, accounts);
    const audit = await openAudit(options, now, logger);
    const describe = (error: unknown) => describeError({ logger }, error, 'job');
    const { stateDir } = options;
    const runs = new Runs({ stateDir, events, audit, now, logger, describe });
    const store = new Upstream(storeAddresses(options));
    const context: ConsoleContext = {
      options,
      now,
      pause,
      logger,
      events,
      changes: new Changes(),
      store,
      s3: s3Endpoint(options),
      admin,
      views: new ClientViews(options.trustedProxies),
      accounts,
      logins,
      sessions: new Sessions({ idleMs: options.sessionIdleHours * 3_600_000, now }),
      loginLimits: new LoginLimits({ perMinute: options.loginMaxPerMin, now }),
      loginOffers: new LoginOffers(now),
      audit,
      userAdmin: options.accountAdmin
        ? new UserAdmin({ options, logger, now }, userAdmin)
        : undefined,
      jobs: new Jobs({ events, now, describe }),
      runs,
      monitor: Monitor.open({ options, admin, events, now, logger }),
      lab: Lab.open({ options, admin, store, now, runs, logger }),
      benchmarks: BenchmarkRuns.open({ options, events, now, logger }),
    };
    const server = new ConsoleServer(context);
    try {
      server.#app = await buildApp(context, () => server.#hosts, server.#traffic);
      await server.#app.ready();
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  /** @returns the port @throws system errors when it cannot listen; then it may be tried again */
  async listen(): Promise<number> {
    const { bind, allowedHosts: others } = this.context.options;
    const server = this.#server();
    await this.#metricsListener?.listen();
    try {
      server.listen({ ...bind, exclusive: true });
      await once(server, 'listening');
    } catch (error) {
      this.#metricsListener?.close();
      throw error;
    }
    const { port } = server.address() as AddressInfo;
    this.#hosts = new AllowedHosts({ ...bind, port }, others);
    // This is not awaited: a former process may be busy with a change for long.
    const benchmarks = (this.#recoveringBenchmarks ??= this.#recoverBenchmarks());
    this.#recovering ??= Promise.all([recoverUsers(this.context), benchmarks]);
    void this.context.runs.recover();
    this.context.lab?.start();
    // Again after a pause: it goes on. A former process writes what it has measured when it ends.
    this.#monitoring ??= this.context.audit.isOurs ? this.#monitor() : this.#monitorAfterFormer();
    if (this.context.audit.isOurs) await Promise.all([benchmarks, this.#monitoring]);
    return port;
  }

  /** One that a former process has started is that process's to end. */
  async #recoverBenchmarks(): Promise<void> {
    const { audit, benchmarks, logger } = this.context;
    try {
      if (await audit.turn()) await benchmarks?.recover();
    } catch (error) {
      logger.error({ err: error }, 'an unfinished benchmark is left');
    }
  }

  async #monitor(): Promise<void> {
    await this.context.monitor?.start();
  }

  async #monitorAfterFormer(): Promise<void> {
    const isOurs = await this.context.audit.turn().catch(() => true);
    if (isOurs) await this.#monitor();
  }

  /** Lets go of the port; connections stay. `listen` takes it again. */
  pause(): void {
    this.#metricsListener?.close();
    const server = this.#server();
    if (server.listening) server.close();
  }

  /** Listens on `metrics_listen`. @returns the port; undefined where that key is empty */
  async metricsPort(): Promise<number | undefined> {
    return this.#metricsListener?.listen();
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
   * requests under way finish. Has no limit of its own.
   */
  async drain(): Promise<void> {
    this.pause();
    this.context.sessions.endAll();
    await this.#traffic.drain();
  }

  /** Ends sessions, jobs and connections. */
  async close(): Promise<void> {
    const { sessions, events, store, logins, s3, admin, audit, runs } = this.context;
    const { monitor, lab, benchmarks, userAdmin, jobs } = this.context;
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
    await this.#monitoring;
    await monitor?.close();
    await lab?.close();
    await benchmarks?.close();
    // A change that was cut goes back, which is recorded.
    await this.#recovering;
    await userAdmin?.idle();
    await audit.close();
  }

  #server(): Server {
    if (this.#app === undefined) throw new Error('the console is not prepared');
    return this.#app.server;
  }
}

/**
 * Starts the console.
 * @throws system errors when it cannot listen, or not write its state
 */
export async function startConsole(
  options: ConsoleOptions,
  start: StartOptions = {},
): Promise<RunningConsole> {
  const server = await ConsoleServer.prepare(options, start);
  try {
    const port = await server.listen();
    return {
      port,
      metricsPort: await server.metricsPort(),
      context: server.context,
      drain: () => server.drain(),
      close: () => server.close(),
    };
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

function defaultLogger(): Logger {
  return createLogger({ level: 'info', process: 'console' });
}

/** @throws ConfigError when there is no certificate in the file that should have one */
function s3Endpoint({ s3Base, s3Region: region, s3CertFile }: ConsoleOptions) {
  if (s3Base === '') return undefined;
  const address = parseUpstream(s3Base);
  const upstream = new Upstream(address, trustOnly('s3_cert_file', s3CertFile));
  return { upstream, address, region } satisfies S3Endpoint;
}
