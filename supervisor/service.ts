import { performance } from 'node:perf_hooks';
import type { Credentials } from '../src/config/credentials-file.js';
import { formatAddress, type FilledOptions } from '../src/config/options.js';
import { configHash } from '../src/config/print.js';
import type { Logger } from '../src/telemetry/logger.js';
import { AdminServer, type AdminView } from './admin.js';
import type { ChildProgram } from './child.js';
import type { Failure } from './exit-codes.js';
import type { ChildKind } from './kinds.js';
import { Fleet } from './fleet.js';
import { readiness, type Readiness, type ServicePhase } from './health.js';
import { ServiceMetrics } from './metrics.js';
import type { VersionInfo } from './version.js';

export interface ServiceOptions {
  readonly options: FilledOptions;
  readonly credentials: Credentials;
  readonly programs: Readonly<Record<ChildKind, ChildProgram>>;
  readonly version: VersionInfo;
  readonly log: Logger;
  /** Finishes what a dead listener left in the store; safe while others work. */
  readonly recoverStore: () => Promise<void>;
}

/** The running service: the listeners, the admin port, and the phase that both go by. */
export class Service implements AdminView {
  /** Resolves when a failure ends the service. */
  readonly failed: Promise<Failure>;

  readonly #fleet: Fleet;
  readonly #admin: AdminServer;
  readonly #metrics: ServiceMetrics;
  readonly #startedAt = new Date();
  #phase: ServicePhase = 'starting';

  constructor(private readonly service: ServiceOptions) {
    const { options, credentials, programs, version, log } = service;
    this.#metrics = new ServiceMetrics(version);
    this.#admin = new AdminServer(this, log);
    let fail: (failure: Failure) => void = () => undefined;
    this.failed = new Promise((resolve) => {
      fail = resolve;
    });
    this.#fleet = new Fleet({
      programs,
      options,
      credentials: credentials.roster,
      log,
      onGone: (child) => {
        this.#metrics.keep(child.metrics);
      },
      onRestart: (kind, reason) => {
        this.#metrics.restarted(kind, reason);
        this.#recoverStore();
      },
      onFatal: fail,
    });
  }

  /**
   * Opens the admin port and starts the listeners.
   * @returns the options with the admin port's real number, when all listeners accept; never when
   * the service fails or is stopped before
   * @throws Failure `listen` for the admin port
   */
  async start(): Promise<FilledOptions> {
    const adminListen = await this.#admin.listen(this.service.options.adminListen);
    this.service.log.info({ admin: formatAddress(adminListen) }, 'listeners starting');
    await this.#fleet.start();
    this.#phase = 'running';
    return { ...this.service.options, adminListen };
  }

  /**
   * Drains: `/readyz` says so for `drain_delay_ms` while requests are still accepted, then the
   * listeners finish what they have.
   * @param hurry - when aborted, what is left is cut at once
   * @returns whether all requests could finish
   */
  async drain(hurry: AbortSignal): Promise<boolean> {
    const { drainDelayMs, drainTimeoutMs } = this.service.options;
    this.#phase = 'draining';
    await waitUnlessAborted(drainDelayMs, hurry);
    const cut = (): void => void this.#fleet.kill();
    hurry.addEventListener('abort', cut);
    if (hurry.aborted) cut();
    const inTime = await this.#fleet.drain(drainTimeoutMs);
    hurry.removeEventListener('abort', cut);
    return inTime && !hurry.aborted;
  }

  /** Ends whatever is left. */
  async close(): Promise<void> {
    await this.#fleet.kill();
    this.#admin.close();
  }

  /** Garbage that stays until the next time is no reason to stop serving. */
  #recoverStore(): void {
    const { log, recoverStore } = this.service;
    recoverStore().catch((error: unknown) => {
      log.error({ err: error }, 'store recovery after the end of a process failed');
    });
  }

  metrics(): Promise<string> {
    return this.#metrics.render(this.#fleet);
  }

  readiness(): Readiness {
    return readiness({
      phase: this.#phase,
      children: this.#fleet.slots.map(({ kind, worker, child }) => ({
        kind,
        worker,
        state: child?.state,
        health: child?.health,
      })),
      probeIntervalMs: this.service.options.probeIntervalMs,
      now: performance.now(),
    });
  }

  status(): unknown {
    const { version, options } = this.service;
    return {
      ...version,
      pid: process.pid,
      started_at: this.#startedAt.toISOString(),
      phase: this.#phase,
      configuration_hash: configHash(options),
      s3_listen: formatAddress(options.s3Listen),
      children: this.#fleet.slots.map(({ kind, worker, child, restarts }) => ({
        kind,
        worker: worker === 0 ? undefined : worker,
        pid: child?.pid ?? null,
        state: child?.state ?? 'waiting',
        restarts,
        started_at: child?.startedAt.toISOString() ?? null,
      })),
    };
  }
}

function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
