import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import { BUCKET_METRICS_PREFIX } from '../src/telemetry/bucket-metrics.js';
import type { MetricSnapshot } from '../src/telemetry/collected.js';
import { CertificateMetrics } from './certificate-metrics.js';
import type { Child } from './child.js';
import { isUp } from './health.js';
import type { ChildKind } from './kinds.js';
import { ReloadMetrics } from './reload-metrics.js';
import { stageReport, type StageReport } from './stage-report.js';
import type { VersionInfo } from './version.js';

/** A child that takes longer is busy or stuck; Prometheus itself gives up after 10 s. */
const SCRAPE_TIMEOUT_MS = 1000;

/** The processes whose metrics are aggregated: the children that live. */
export interface ScrapedFleet {
  readonly slots: readonly {
    readonly kind: ChildKind;
    readonly worker: number;
    readonly child: Child | undefined;
  }[];
  /** Children of a former generation: their metrics still count. */
  readonly leaving: readonly Child[];
  readonly probeIntervalMs: number;
}

/**
 * The metrics of the whole service: the supervisor's own, and those of all children that are or
 * ever were, added up. Counters and histograms of a child that has gone are kept, since a total
 * that falls looks like a restart to Prometheus (prometheus/client_js#385).
 */
export class ServiceMetrics {
  readonly registry = new Registry();
  readonly reloads: ReloadMetrics;
  readonly certificates: CertificateMetrics;
  readonly #restarts: Readonly<Record<ChildKind, Counter<'reason'>>>;
  readonly #listenerUp: Gauge<'worker'>;
  readonly #ups: Readonly<Record<Exclude<ChildKind, 'listener'>, Gauge>>;
  readonly #missing: Gauge;
  #departed: MetricSnapshot = [];
  #scrape: Promise<Registry> | undefined;

  constructor(version: VersionInfo) {
    const registers = [this.registry];
    const restarts = (name: string, help: string) =>
      new Counter({ name, help, labelNames: ['reason'], registers });
    const up = (name: string, help: string) => new Gauge({ name, help, registers });
    this.#restarts = {
      listener: restarts(
        'ringway_listener_restarts_total',
        'Listeners started again after they ended unasked, by how they ended.',
      ),
      janitor: restarts(
        'ringway_janitor_restarts_total',
        'How often the janitor was started again after it ended unasked, by how it ended.',
      ),
      store: restarts(
        'ringway_swift_api_restarts_total',
        "How often the process of the store's Swift API was started again after it ended unasked, by how it ended.",
      ),
      console: restarts(
        'ringway_console_restarts_total',
        'How often the console was started again after it ended unasked, by how it ended.',
      ),
      deploy: restarts(
        'ringway_deploy_restarts_total',
        'How often the control service of Deploy was started again after it ended unasked, by how it ended.',
      ),
    };
    this.#ups = {
      janitor: up('ringway_janitor_up', 'Whether the janitor runs; absent where none is to.'),
      store: up(
        'ringway_swift_api_up',
        "Whether the store's Swift API is served: its process is up, and its last report is no older than three probe_interval_ms; absent where it is not to be.",
      ),
      console: up(
        'ringway_console_up',
        'Whether the console is served; absent where none is to be.',
      ),
      deploy: up(
        'ringway_deploy_up',
        'Whether the control service of Deploy runs; absent where none is to.',
      ),
    };
    this.#listenerUp = new Gauge({
      name: 'ringway_listener_up',
      help: 'Whether the listener accepts requests: it is up, and its last report is no older than three probe_interval_ms.',
      labelNames: ['worker'],
      registers,
    });
    this.#missing = new Gauge({
      name: 'ringway_scrape_children_missing',
      help: 'Processes that did not answer this scrape in time; their last known values are shown.',
      registers,
    });
    new Gauge({
      name: 'ringway_build_info',
      help: 'Always 1; the labels say what runs.',
      labelNames: ['version', 'revision', 'node'],
      registers,
    }).set({ ...version }, 1);
    this.reloads = new ReloadMetrics(registers);
    this.certificates = new CertificateMetrics(registers);
  }

  restarted(kind: ChildKind, reason: string): void {
    this.#restarts[kind].inc({ reason });
  }

  /** Keeps the totals of a child that has gone. */
  keep(snapshot: MetricSnapshot): void {
    // The child that replaces it counts buckets anew, under the same number.
    const lasting = exactly(snapshot).filter(({ name }) => !name.startsWith(BUCKET_METRICS_PREFIX));
    this.#departed = totalsOf([this.#departed, lasting]);
  }

  /** Everything in Prometheus' text format. */
  async render(fleet: ScrapedFleet): Promise<string> {
    const children = await this.#children(fleet);
    const texts = await Promise.all([children.metrics(), this.registry.metrics()]);
    return texts.filter((text) => text.trim() !== '').join('\n');
  }

  /** The time of requests by stage. */
  async stages(fleet: ScrapedFleet, since: Date): Promise<StageReport> {
    const children = await this.#children(fleet);
    return stageReport(await children.getMetricsAsJSON(), since);
  }

  /** Scrapes at the same time share one answer. */
  #children(fleet: ScrapedFleet): Promise<Registry> {
    this.#scrape ??= this.#collect(fleet).finally(() => {
      this.#scrape = undefined;
    });
    return this.#scrape;
  }

  async #collect(fleet: ScrapedFleet): Promise<Registry> {
    const { probeIntervalMs } = fleet;
    // A process that is not configured is not down.
    for (const gauge of Object.values(this.#ups)) gauge.remove();
    for (const { kind, worker, child } of fleet.slots) {
      const report = { state: child?.state, health: child?.health };
      const up = isUp(report, { now: performance.now(), probeIntervalMs }) ? 1 : 0;
      if (kind === 'listener') this.#listenerUp.set({ worker: String(worker) }, up);
      else this.#ups[kind].set(up);
    }
    // A child that is starting has nothing to tell yet, and is not missed.
    const serving = fleet.slots.flatMap(({ child }) =>
      child === undefined || child.state === 'starting' ? [] : [child],
    );
    const asked = [...serving, ...fleet.leaving];
    const answers = await Promise.all(asked.map((child) => child.scrape(SCRAPE_TIMEOUT_MS)));
    const silent = asked.filter(
      (child, index) => answers[index] !== true && child.state !== 'gone',
    );
    this.#missing.set(silent.length);
    // Children that ended during the scrape are among the departed by now.
    const living = asked
      .filter((child) => child.state !== 'gone')
      .map((child) => exactly(child.metrics));
    return AggregatorRegistry.aggregate([this.#departed, ...living] as object[]);
  }
}

/** Parts of a second that times are rounded to, about 1 ns: their sums are exact up to 2^23 s. */
const PARTS_PER_S = 2 ** 30;

/**
 * The same totals, in numbers whose sum does not depend on their order: a total that falls by its
 * last bit, when a process ends and is added elsewhere, looks like a restart to Prometheus as well.
 */
function exactly(snapshot: MetricSnapshot): MetricSnapshot {
  return snapshot.map((metric) =>
    TOTAL_TYPES.has(metric.type)
      ? { ...metric, values: metric.values.map((one) => ({ ...one, value: rounded(one.value) })) }
      : metric,
  );
}

function rounded(value: number): number {
  return Number.isInteger(value) ? value : Math.round(value * PARTS_PER_S) / PARTS_PER_S;
}

const TOTAL_TYPES: ReadonlySet<unknown> = new Set(['counter', 'histogram']);

/** One snapshot in place of several; gauges are of the moment, and go with their process. */
function totalsOf(snapshots: readonly MetricSnapshot[]): MetricSnapshot {
  const totals = snapshots.map((snapshot) =>
    snapshot.filter((metric) => TOTAL_TYPES.has(metric.type)),
  );
  const merged = AggregatorRegistry.aggregate(totals);
  // The method `get` is left out: it holds on to all that was added up, so that the totals of one
  // child held those of every child before it, 50 kB each.
  return merged
    .getMetricsAsArray()
    .map((metric) =>
      Object.fromEntries(Object.entries(metric).filter(([, value]) => typeof value !== 'function')),
    ) as unknown as MetricSnapshot;
}
