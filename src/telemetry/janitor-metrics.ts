import { Counter, Registry } from 'prom-client';
import { collectGauge, collectTotal, type MetricSnapshot } from './collected.js';

/** The metrics of the janitor process; docs/metrics.md describes each. */
export class JanitorMetrics {
  readonly registry = new Registry();

  readonly #registers = [this.registry];
  #looked = 0;
  #readLastRunS: () => number = () => 0;

  readonly #actions = new Counter({
    name: 'ringway_janitor_actions_total',
    help: 'What the janitor found to be done, by action and outcome.',
    labelNames: ['action', 'outcome'],
    registers: this.#registers,
  });
  readonly #failures = new Counter({
    name: 'ringway_janitor_failures_total',
    help: 'Passes that were interrupted, and containers that were left out since they cannot be read.',
    labelNames: ['what'],
    registers: this.#registers,
  });

  constructor() {
    collectTotal({
      name: 'ringway_janitor_entries_total',
      help: 'Objects, uploads and parts that the janitor looked at.',
      read: () => this.#looked,
      registers: this.#registers,
    });
    collectGauge({
      name: 'ringway_janitor_last_run_timestamp_seconds',
      help: 'When the account that waits longest was last gone through to its end, by any janitor of the store; 0 before.',
      aggregator: 'max',
      read: () => this.#readLastRunS(),
      registers: this.#registers,
    });
  }

  /** Both from fixed lists: they become labels. */
  action(action: string, outcome: string): void {
    this.#actions.inc({ action, outcome });
  }

  failed(what: 'pass' | 'container'): void {
    this.#failures.inc({ what });
  }

  looked(entries: number): void {
    this.#looked += entries;
  }

  /** Sets where a snapshot reads the time of the last run, in seconds since the epoch. */
  watchLastRun(readS: () => number): void {
    this.#readLastRunS = readS;
  }

  /** All values now, to be sent to the supervisor. */
  async snapshot(): Promise<MetricSnapshot> {
    return this.registry.getMetricsAsJSON();
  }
}
