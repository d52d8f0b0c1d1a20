import { Counter, Gauge, type Registry } from 'prom-client';

/** The outcomes of reloads and drains. */
export class ReloadMetrics {
  readonly #succeededAt: Gauge;
  readonly #succeeded: Gauge;
  readonly #reloads: Counter<'outcome'>;
  readonly #drainTimeouts: Counter;

  constructor(registers: Registry[]) {
    this.#succeededAt = new Gauge({
      name: 'ringway_config_reload_success_timestamp_seconds',
      help: 'When the configuration that is in force was read.',
      registers,
    });
    this.#succeeded = new Gauge({
      name: 'ringway_config_last_reload_successful',
      help: 'Whether the last attempt to reload the configuration put it in force.',
      registers,
    });
    this.#reloads = new Counter({
      name: 'ringway_config_reloads_total',
      help: 'Attempts to reload the configuration, by how they ended: done or failed.',
      labelNames: ['outcome'],
      registers,
    });
    this.#drainTimeouts = new Counter({
      name: 'ringway_drain_timeouts_total',
      help: 'Processes that were killed since they had not drained in drain_timeout_ms; their requests were cut.',
      registers,
    });
  }

  /** The start counts as no reload, but puts a configuration in force. */
  started(): void {
    this.#inForce();
  }

  reloaded(): void {
    this.#reloads.inc({ outcome: 'done' });
    this.#inForce();
  }

  failed(): void {
    this.#reloads.inc({ outcome: 'failed' });
    this.#succeeded.set(0);
  }

  drainTimedOut(processes: number): void {
    this.#drainTimeouts.inc(processes);
  }

  #inForce(): void {
    this.#succeeded.set(1);
    this.#succeededAt.setToCurrentTime();
  }
}
