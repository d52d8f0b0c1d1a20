import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { RawConfig } from '../src/config/config-file.js';
import type { Certificates } from '../src/config/certificates.js';
import { formatAddress, type FilledOptions, type ListenAddress } from '../src/config/options.js';
import { configHash } from '../src/config/print.js';
import type { Roster } from '../src/config/credentials.js';
import type { DeployOptions } from '../src/deploy/service/config.js';
import { messageOf } from '../src/lib/error-message.js';
import type { Logger } from '../src/telemetry/logger.js';
import { AdminServer, type AdminView } from './admin.js';
import type { Child, ChildProgram } from './child.js';
import { Failure } from './exit-codes.js';
import type { Fleet } from './fleet.js';
import { Generation, type GenerationOptions } from './generation.js';
import { readiness, type Readiness, type ServicePhase } from './health.js';
import type { ChildKind } from './kinds.js';
import { processLog } from './log-tail.js';
import { ServiceMetrics, type ScrapedFleet } from './metrics.js';
import { OneAtATime } from './one-at-a-time.js';
import { processTraces } from './request-traces.js';
import { changedKeys, resolveForReload, type Running } from './reload.js';
import { Signal } from './signal.js';
import { renderStatus } from './status.js';
import type { VersionInfo } from './version.js';

/** The values that a generation of processes is started with. */
export interface Start {
  /** The options as configured: a port may be 0. */
  readonly asked: FilledOptions;
  readonly credentials: Roster;
  readonly certificates: Certificates;
  /** The contents of the file `console_config`. */
  readonly consoleConfig: RawConfig | undefined;
  /** The contents of the file `deploy_config`. */
  readonly deploy: DeployOptions | undefined;
}

export interface ServiceOptions extends Start, Running {
  readonly programs: (options: FilledOptions) => Readonly<Record<ChildKind, ChildProgram>>;
  readonly version: VersionInfo;
  readonly log: Logger;
  /** Finishes what a dead listener left in the store; safe while others work. */
  readonly recoverStore: (options: FilledOptions) => Promise<void>;
  /** Reads configuration and credentials as a start does. @throws Failure */
  readonly readAgain: () => Start;
}

/** How long children may take to let go of the port; they answer in some 10 ms. */
const ASIDE_TIMEOUT_MS = 5000;

/** The running service: its processes, the admin port, and the phase that both go by. */
export class Service implements AdminView {
  readonly logs = processLog;
  readonly traces = processTraces;

  #generation: Generation;
  /** The former generation, while it finishes what it has. */
  #leaving: Fleet | undefined;
  #left: Promise<number> = Promise.resolve(0);
  #admin: AdminServer;
  readonly #metrics: ServiceMetrics;
  readonly #startedAt = new Date();
  readonly #started = new Signal();
  readonly #stopping = new Signal();
  readonly #reloads = new OneAtATime(() => this.#reload());
  readonly #failure = new Signal<Failure>();
  /** Resolves when a failure ends the service. */
  readonly failed = this.#failure.fired;
  #phase: ServicePhase = 'starting';
  #adminListen: ListenAddress | undefined;

  constructor(private readonly service: ServiceOptions) {
    const { options, version, log } = service;
    this.#metrics = new ServiceMetrics(version);
    this.#admin = new AdminServer(this, log, options);
    this.#useCertificates(service.certificates);
    this.#generation = this.#newGeneration({ ...service, isTrial: false });
    this.#fallWith(this.#generation);
  }

  /**
   * Opens the admin port and starts the processes.
   * @returns the options with the admin port's real number, when all listeners accept; never when
   * the service fails or is stopped before
   * @throws Failure `listen` for the admin port
   */
  async start(): Promise<FilledOptions> {
    const { options, fleet } = this.#generation;
    const adminListen = await this.#admin.listen(options.adminListen);
    this.#adminListen = adminListen;
    this.service.log.info({ admin: formatAddress(adminListen) }, 'listeners starting');
    await fleet.start();
    this.#phase = 'running';
    this.#metrics.reloads.started();
    this.#generation.serves();
    this.#started.fire();
    return { ...options, adminListen };
  }

  /** Resolves when the service serves. */
  get serves(): Promise<void> {
    return this.#started.fired;
  }

  /**
   * Puts the configuration in force that is in its files now: another generation of processes takes
   * over, and the former one finishes what it has. One at a time.
   * @returns how many processes of the former generation were killed at `drain_timeout_ms`
   * @throws Failure when nothing was changed, with the reason
   */
  reload(): Promise<number> {
    return this.#reloads.run();
  }

  async #reload(): Promise<number> {
    await Promise.race([this.#started.fired, this.#stopping.fired]);
    const { log } = this.service;
    try {
      await this.#replaceGeneration();
    } catch (thrown) {
      const failure = asFailure(thrown);
      this.#metrics.reloads.failed();
      log.error({ reason: failure.reason, problem: failure.message }, 'reload changed nothing');
      throw failure;
    }
    this.#metrics.reloads.reloaded();
    return this.#left;
  }

  async #replaceGeneration(): Promise<void> {
    const { log, recoverStore, readAgain } = this.service;
    const former = this.#generation;
    const again = readAgain();
    const { asked, certificates } = again;
    const options = await resolveForReload(asked, former);
    const changed = changedKeys(former.asked, asked);
    log.info({ changed }, 'reloading');
    await recoverStore(options);
    const admin = await this.#openAdmin(options);
    const next = this.#newGeneration({ ...again, options, isTrial: true });
    try {
      await this.#takeOver(next, former);
    } catch (error) {
      next.retire();
      await next.fleet.drain(former.options.drainTimeoutMs, true);
      admin?.server.close();
      throw error;
    }
    this.#fallWith(next);
    this.#generation = next;
    next.serves();
    if (admin !== undefined) this.#replaceAdmin(admin);
    this.#admin.useAccess(options);
    this.#useCertificates(certificates);
    log.level = options.logLevel;
    log.info({ changed, configuration_hash: configHash(options) }, 'reloaded');
    this.#dismiss(former);
  }

  /** A new admin port, where it has changed. @throws Failure `listen` */
  async #openAdmin(options: FilledOptions): Promise<OpenAdmin | undefined> {
    if (isDeepStrictEqual(options.adminListen, this.#adminListen)) return undefined;
    const server = new AdminServer(this, this.service.log, options);
    return { server, address: await server.listen(options.adminListen) };
  }

  #useCertificates(certificates: Certificates): void {
    this.#admin.useCertificate(certificates.admin);
    this.#metrics.certificates.inForce(certificates);
  }

  #replaceAdmin({ server, address }: OpenAdmin): void {
    this.#admin.close();
    this.#admin = server;
    this.#adminListen = address;
  }

  /** @throws Failure when `next` does not come up, or the service is stopped meanwhile */
  async #takeOver(next: Generation, former: Generation): Promise<void> {
    const { log } = this.service;
    const orFailure = async <T>(work: Promise<T>): Promise<T> => {
      const failed = next.failed.then((failure) => {
        throw failure;
      });
      const stopped = this.#stopping.fired.then(() => {
        throw new Failure('stopped', 'the service is being stopped');
      });
      return Promise.race([work, failed, stopped]);
    };
    await orFailure(next.fleet.prepare());
    // When the backend is away, another configuration may be the remedy.
    if (this.readiness().ready) {
      const problem = await orFailure(next.fleet.untilWell(next.options.listenerStartTimeoutMs));
      if (problem !== undefined) throw new Failure('unready', problem);
    }
    const lossless = await former.fleet.standAside(ASIDE_TIMEOUT_MS);
    if (!lossless) {
      log.warn('connections that wait to be accepted may be reset: see docs/limitations.md');
    }
    try {
      await orFailure(next.fleet.begin());
    } catch (error) {
      former.fleet.resume();
      throw error;
    }
  }

  /** Lets the former generation finish what it has. */
  #dismiss(former: Generation): void {
    const { fleet, options } = former;
    this.#leaving = fleet;
    this.#left = fleet.drain(options.drainTimeoutMs, true).then((killed) => {
      former.retire();
      this.#leaving = undefined;
      this.#metrics.reloads.drainTimedOut(killed);
      this.service.log.info({ killed }, 'former processes ended');
      if (killed > 0) this.#recoverStore();
      return killed;
    });
  }

  /** A generation that serves takes the service with it when it cannot go on. */
  #fallWith(serving: Generation): void {
    void serving.failed.then((failure) => {
      this.#failure.fire(failure);
    });
  }

  #newGeneration(start: Start & Pick<GenerationOptions, 'options' | 'isTrial'>): Generation {
    const { asked, options, credentials, consoleConfig, deploy, isTrial } = start;
    return new Generation({
      ...{ asked, options, credentials, consoleConfig, deploy, isTrial },
      log: this.service.log,
      programs: this.service.programs(options),
      onGone: (child) => {
        this.#metrics.keep(child.metrics);
      },
      onRestart: (kind, reason) => {
        this.#metrics.restarted(kind, reason);
        this.#recoverStore();
      },
    });
  }

  /**
   * Drains: `/readyz` says so for `drain_delay_ms` while requests are still accepted, unless it never
   * said ready; then the listeners finish what they have.
   * @param hurry - when aborted, what is left is cut at once
   * @returns whether all requests could finish
   */
  async drain(hurry: AbortSignal): Promise<boolean> {
    const { fleet, options } = this.#generation;
    const delayMs = this.#phase === 'starting' ? 0 : options.drainDelayMs;
    this.#phase = 'draining';
    this.#stopping.fire();
    for (const child of fleet.children()) child.leave();
    await waitUnlessAborted(delayMs, hurry);
    const cut = (): void => {
      void fleet.kill();
      void this.#leaving?.kill();
    };
    hurry.addEventListener('abort', cut);
    if (hurry.aborted) cut();
    this.#leaving?.hurry();
    const [killed, formerKilled] = await Promise.all([
      fleet.drain(options.drainTimeoutMs, false),
      this.#leaving === undefined ? 0 : this.#left,
      this.#reloads.settled(),
    ]);
    this.#metrics.reloads.drainTimedOut(killed);
    hurry.removeEventListener('abort', cut);
    return killed + formerKilled === 0 && !hurry.aborted;
  }

  /** Ends whatever is left. */
  async close(): Promise<void> {
    this.#stopping.fire();
    this.#generation.retire();
    await Promise.all([this.#generation.fleet.kill(), this.#leaving?.kill()]);
    this.#admin.close();
  }

  /** Garbage that stays until the next time is no reason to stop serving. */
  #recoverStore(): void {
    const { log, recoverStore } = this.service;
    recoverStore(this.#generation.options).catch((error: unknown) => {
      log.error({ err: error }, 'store recovery after the end of a process failed');
    });
  }

  /** The console's process; undefined where there is none. */
  get console(): Child | undefined {
    return this.#generation.fleet.slots.find(({ kind }) => kind === 'console')?.child;
  }

  /** The files of logs were renamed: all go on with new ones. */
  reopenLogs(): void {
    const leaving = this.#leaving?.children() ?? [];
    for (const child of [...this.#generation.fleet.children(), ...leaving]) child.reopenLogs();
  }

  metrics(): Promise<string> {
    return this.#metrics.render(this.#scraped());
  }

  stages(): Promise<unknown> {
    return this.#metrics.stages(this.#scraped(), this.#startedAt);
  }

  #scraped(): ScrapedFleet {
    const leaving = this.#leaving?.children() ?? [];
    const { fleet, options } = this.#generation;
    return { slots: fleet.slots, leaving, probeIntervalMs: options.probeIntervalMs };
  }

  readiness(): Readiness {
    return readiness({
      phase: this.#phase,
      children: this.#generation.fleet.slots.map(({ kind, worker, child }) => {
        return { kind, worker, state: child?.state, health: child?.health };
      }),
      probeIntervalMs: this.#generation.options.probeIntervalMs,
      now: performance.now(),
    });
  }

  status(): unknown {
    const { options, fleet } = this.#generation;
    return renderStatus({
      version: this.service.version,
      startedAt: this.#startedAt,
      phase: this.#phase,
      options,
      adminListen: this.#adminListen,
      slots: [...fleet.slots, ...(this.#leaving?.slots.filter(({ child }) => child) ?? [])],
    });
  }
}

interface OpenAdmin {
  readonly server: AdminServer;
  readonly address: ListenAddress;
}

function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  return new Failure('internal', messageOf(thrown), { cause: thrown });
}

function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal }).catch(() => undefined);
}
