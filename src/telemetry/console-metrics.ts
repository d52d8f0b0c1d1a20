import { Counter, Gauge, Registry } from 'prom-client';
import { collectGauge, type MetricSnapshot } from './collected.js';

/** The sources of the gauges. */
export interface ConsoleLoad {
  requestsInProgress(): number;
  sessions(): number;
  /** Undefined where nothing is known of it, or it is not watched. */
  repairDebt(): RepairDebt | undefined;
}

/** The Repair Debt Index of the console's Lab; null is unknown, and is not exported. */
export interface RepairDebt {
  readonly at_unix_s: number;
  readonly debt_s: number | null;
  readonly index: number | null;
  readonly interest_s_per_h: number | null;
  readonly tti_s: number | null;
  readonly components: readonly { readonly id: string; readonly debt_s: number | null }[];
}

const LOGIN_RESULTS: Readonly<Record<number, string>> = {
  200: 'ok',
  401: 'denied',
  429: 'limited',
};

const REPAIR_DEBT: readonly {
  readonly name: string;
  readonly help: string;
  readonly read: (debt: RepairDebt) => number | null;
}[] = [
  {
    name: 'ringway_repair_debt_seconds',
    help: 'Seconds of repair work that the cluster owes, as far as it is known; absent where nothing is.',
    read: (debt) => debt.debt_s,
  },
  {
    name: 'ringway_repair_debt_index_ratio',
    help: 'The repair debt as a share of reclaim_age, at most 1.',
    read: ({ index }) => (index === null ? null : index / 100),
  },
  {
    name: 'ringway_repair_debt_growth_ratio',
    help: 'Seconds by which the repair debt grows in a second, by the last hour; negative while it is paid.',
    read: (debt) => (debt.interest_s_per_h === null ? null : debt.interest_s_per_h / 3600),
  },
  {
    name: 'ringway_repair_debt_insolvency_seconds',
    help: 'Seconds until the repair debt reaches reclaim_age, if it goes on like that; absent where it never will.',
    read: (debt) => debt.tti_s,
  },
  {
    name: 'ringway_repair_debt_timestamp_seconds',
    help: 'When the nodes were last asked for what the repair debt is made of.',
    read: (debt) => debt.at_unix_s,
  },
];

/** The metrics of the console; docs/metrics.md describes each. */
export class ConsoleMetrics {
  readonly registry = new Registry();

  readonly #registers = [this.registry];
  readonly #requests = new Counter({
    name: 'ringway_console_requests_total',
    help: 'Requests to the console, by status code.',
    labelNames: ['code'],
    registers: this.#registers,
  });
  readonly #logins = new Counter({
    name: 'ringway_console_logins_total',
    help: 'Logins to the console that were tried, by result: ok, denied, limited (too many) or failed (no answer of the store).',
    labelNames: ['result'],
    registers: this.#registers,
  });

  constructor(load: ConsoleLoad) {
    collectGauge({
      name: 'ringway_console_requests_in_progress',
      help: 'Requests to the console that are not answered yet; a page that is open holds one for its events.',
      aggregator: 'sum',
      read: () => load.requestsInProgress(),
      registers: this.#registers,
    });
    collectGauge({
      name: 'ringway_console_sessions',
      help: 'Users of the console who are logged in.',
      aggregator: 'sum',
      read: () => load.sessions(),
      registers: this.#registers,
    });
    for (const { name, help, read } of REPAIR_DEBT) {
      new Gauge({
        name,
        help,
        aggregator: 'max',
        registers: this.#registers,
        collect() {
          const debt = load.repairDebt();
          const value = debt === undefined ? null : read(debt);
          // A gauge without labels is 0 as long as it was never set.
          if (value === null) this.remove();
          else this.set(value);
        },
      });
    }
    new Gauge({
      name: 'ringway_repair_debt_component_seconds',
      help: 'Seconds of repair work by what they are for: async, quarantine, missing, imbalance, disk or lag; absent where it is unknown.',
      labelNames: ['component'],
      aggregator: 'max',
      registers: this.#registers,
      collect() {
        this.reset();
        for (const { id: component, debt_s: value } of load.repairDebt()?.components ?? []) {
          if (value !== null) this.set({ component }, value);
        }
      },
    });
  }

  /** A request is over. */
  finished(status: number, isLogin: boolean): void {
    this.#requests.inc({ code: status });
    if (isLogin) this.#logins.inc({ result: LOGIN_RESULTS[status] ?? 'failed' });
  }

  /** All values now, to be sent to the supervisor. */
  snapshot(): Promise<MetricSnapshot> {
    return this.registry.getMetricsAsJSON();
  }
}
