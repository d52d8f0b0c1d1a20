import type { ConsoleOptions } from '../../config/load.js';
import type { ConsoleContext } from '../../server/context.js';
import type { SurfaceService } from '../../server/surface.js';
import { parseUpstream } from '../../swift/address.js';
import { Upstream } from '../../swift/upstream.js';
import { Addresses } from './addresses.js';
import { alertView, sortAlerts, type AlertView } from './alerts/alert-view.js';
import { prometheusAlertViews } from './alerts/prometheus-alerts.js';
import { RULES } from './alerts/rules.js';
import { chartOf, type ChartView } from './charts.js';
import { Logs, unreadable, type LogSearch, type LogsView } from './logs/logs.js';
import { lokiOf, tailOf } from './logs/log-store.js';
import type { VolumeView } from './logs/volume.js';
import { tilesOf } from './overview.js';
import type { Panel } from './panels/panel.js';
import {
  assign,
  configuredSources,
  PANELS,
  type Assignment,
  type Sources,
} from './panels/panels.js';
import { GatewaySampler } from './sources/gateway-sampler.js';
import { PrometheusApi } from './sources/prometheus-api.js';
import { PrometheusSampler } from './sources/prometheus-sampler.js';
import { ProxySampler } from './sources/proxy-sampler.js';
import { ReconSampler } from './sources/recon-sampler.js';
import { SourceError, type Sampler } from './sources/source.js';
import { TILES } from './tiles.js';
import { lookAtTrace, type TraceQuery, type TraceView } from './trace.js';
import { Watch } from './watch.js';
import { Workers } from './workers.js';

type MonitorOptions = Pick<ConsoleContext, 'options' | 'admin' | 'events' | 'now' | 'logger'>;

/** A watched source, as the page has it. */
interface SourceView {
  readonly id: string;
  readonly title: string;
  readonly state: 'off' | ReturnType<Watch['statusOf']>['state'];
  readonly reason?: string;
  readonly last_unix_s?: number | null;
}

const NO_LOGS = 'Logs are unavailable: neither logs_url nor admin_url is configured.';

const SOURCE_TITLES = {
  gateway: 'Gateway',
  recon: 'Storage nodes',
  proxies: 'Proxies',
  prometheus: 'Metrics store',
} as const;

/** True when the configuration has a gateway, nodes, proxies, a Prometheus or logs to watch. */
export function isMonitored(options: ConsoleOptions): boolean {
  const { gateway, recon, proxies, prometheus } = configuredSources(options);
  return [gateway, recon, proxies, prometheus].includes(true) || options.logsUrl !== '';
}

/** The Monitor surface: what it measures, whether anybody looks or not, and what it shows of it. */
export class Monitor implements SurfaceService {
  readonly watch: Watch;
  /** Undefined when nothing is configured that has logs. */
  readonly logs: Logs | undefined;
  readonly workers: Workers;
  readonly recon: ReconSampler | undefined;
  readonly #sources: Sources;
  readonly #assignments: ReadonlyMap<string, Assignment>;
  readonly #addresses: Addresses;
  readonly #prometheus: PrometheusApi | undefined;
  readonly #upstreams: Upstream[] = [];
  #prometheusAlerts: readonly AlertView[] = [];
  #timer: NodeJS.Timeout | undefined;
  #ticking: Promise<void> | undefined;

  constructor(private readonly monitor: MonitorOptions) {
    const { options, admin, now, logger } = monitor;
    const sources = configuredSources(options);
    this.#sources = sources;
    this.#addresses = new Addresses(options);
    this.#assignments = new Map(
      PANELS.map((panel) => [panel.id, assign(panel, sources, options.metricsQueries)]),
    );
    this.#prometheus =
      sources.prometheus === true
        ? new PrometheusApi(this.#upstream(options.metricsUrl))
        : undefined;
    this.recon = sources.recon === true ? new ReconSampler({ options, now }) : undefined;
    this.watch = new Watch({
      samplers: this.#samplers(),
      assignments: this.#assignments,
      rules: RULES,
      stateDir: options.stateDir,
      now,
      logger,
    });
    this.workers = new Workers(admin);
    const store =
      options.logsUrl !== ''
        ? lokiOf(this.#upstream(options.logsUrl), options)
        : admin.isConfigured
          ? tailOf(admin)
          : undefined;
    this.logs = store === undefined ? undefined : new Logs(store, this.#addresses, now);
  }

  /** Goes on with what was kept, which a former process writes when it ends, and measures from now on. */
  async begin(turn: () => Promise<boolean>): Promise<void> {
    if (!(await turn().catch(() => true))) return;
    await this.watch.restore();
    this.#timer = setInterval(() => {
      this.#tickUnlessBusy();
    }, this.monitor.options.reconIntervalS * 1000);
    this.#tickUnlessBusy();
  }

  /** Measures once, and tells the pages. */
  async tick(): Promise<void> {
    await Promise.all([
      this.watch.tick(),
      this.workers.look(this.monitor.now()),
      this.#askForAlerts(),
    ]);
    this.monitor.events.publish('monitor', this.overview(false));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    // Requests under way fail, so that no caller waits for them.
    this.recon?.close();
    for (const upstream of this.#upstreams) upstream.close();
    await this.#ticking;
    if (this.#timer !== undefined) await this.watch.save();
  }

  overview(withSpark: boolean) {
    const { options, now } = this.monitor;
    const nowMs = now();
    const nodes = this.recon === undefined ? [] : options.clusterNodes.map(({ name }) => name);
    return {
      at_unix_s: nowMs / 1000,
      interval_s: options.reconIntervalS,
      source: this.#sources.prometheus === true ? 'prometheus' : 'embedded',
      sources: this.#sourceViews(),
      tiles: tilesOf(this.watch, nowMs, { withSpark, nodes, intervalS: options.reconIntervalS }),
      alerts: this.#alertViews(),
    };
  }

  /** If the metrics store has the same rule, its alert is shown, once. */
  #alertViews(): AlertView[] {
    const theirs = new Set(this.#prometheusAlerts.map(({ name }) => name));
    const own = this.watch.alerts.filter(({ rule }) => !theirs.has(rule.prometheus?.alert ?? ''));
    return sortAlerts([...own.map(alertView), ...this.#prometheusAlerts]);
  }

  /** Why nothing measures a panel; undefined when something does. */
  unavailable(panel: Panel): string | undefined {
    const assignment = this.#assignmentOf(panel);
    return assignment.source === undefined ? assignment.reason : undefined;
  }

  /** Whether anything was ever measured of a panel, as far as the console knows by itself. */
  isRecorded(panel: Panel): boolean {
    const { source } = this.#assignmentOf(panel);
    return source === 'prometheus' || this.watch.history.lastMs(panel.id) !== undefined;
  }

  chart(panel: Panel, range: { readonly fromS: number; readonly toS: number }): Promise<ChartView> {
    return chartOf(panel, this.#assignmentOf(panel), range, {
      watch: this.watch,
      prometheus: this.#prometheus,
      addresses: this.#addresses,
      intervalS: this.monitor.options.reconIntervalS,
      now: this.monitor.now,
    });
  }

  /** How many log lines there are, of each level. */
  async logVolume(search: Parameters<Logs['volume']>[0]): Promise<VolumeView> {
    return this.logs?.volume(search) ?? { state: 'unknown', reason: NO_LOGS };
  }

  /** Requests of the gateway that have ended since the look before. */
  async trace(wish: TraceQuery): Promise<TraceView> {
    const { admin } = this.monitor;
    if (admin.isConfigured) return lookAtTrace(admin, wish);
    return { state: 'unknown', reason: 'Tracing is unavailable. admin_url is not configured.' };
  }

  async searchLogs(search: LogSearch): Promise<LogsView> {
    return this.logs?.search(search) ?? unreadable('embedded', NO_LOGS);
  }

  #sourceViews(): SourceView[] {
    return (['gateway', 'recon', 'proxies', 'prometheus'] as const).map((id) => {
      const title = SOURCE_TITLES[id];
      const configured = this.#sources[id];
      if (configured !== true) return { id, title, state: 'off', reason: configured };
      const { state, reason, lastMs } = this.watch.statusOf(id);
      return {
        id,
        title,
        state,
        ...(reason === undefined ? {} : { reason }),
        last_unix_s: lastMs === undefined ? null : lastMs / 1000,
      };
    });
  }

  #samplers(): Sampler[] {
    const { admin } = this.monitor;
    const samplers: Sampler[] = [];
    if (this.#sources.gateway === true) {
      const derived = PANELS.flatMap(({ id, derivation }) =>
        this.#assignments.get(id)?.source === 'gateway' && derivation !== undefined
          ? [{ id, derivation }]
          : [],
      );
      samplers.push(new GatewaySampler(admin, derived, this.#addresses));
    }
    if (this.recon !== undefined) samplers.push(this.recon);
    if (this.#sources.proxies === true) {
      samplers.push(new ProxySampler(this.monitor.options, this.#addresses));
    }
    if (this.#prometheus !== undefined) {
      samplers.push(new PrometheusSampler(this.#prometheus, this.#queried(), this.#addresses));
    }
    return samplers;
  }

  /** The panels that tiles and alerts need: the others are queried when a user opens them. */
  #queried() {
    const needed = new Set([
      ...TILES.map(({ panel }) => panel),
      ...RULES.map(({ condition }) => condition.panel),
    ]);
    return PANELS.flatMap(({ id }) => {
      const assignment = this.#assignments.get(id);
      return needed.has(id) &&
        assignment?.source === 'prometheus' &&
        assignment.promql !== undefined
        ? [{ id, promql: assignment.promql }]
        : [];
    });
  }

  async #askForAlerts(): Promise<void> {
    if (this.#prometheus === undefined) return;
    try {
      const alerts = await this.#prometheus.alerts();
      this.#prometheusAlerts = prometheusAlertViews(alerts, this.#addresses);
    } catch (error) {
      // Its last alerts stay: its tiles say that it is down.
      if (!(error instanceof SourceError)) throw error;
    }
  }

  #assignmentOf(panel: Panel): Assignment {
    return (
      this.#assignments.get(panel.id) ?? { source: undefined, reason: 'there is no such panel' }
    );
  }

  #upstream(url: string): Upstream {
    const upstream = new Upstream(parseUpstream(url));
    this.#upstreams.push(upstream);
    return upstream;
  }

  #tickUnlessBusy(): void {
    if (this.#ticking !== undefined) return;
    this.#ticking = this.tick()
      .catch((error: unknown) => {
        this.monitor.logger.error({ err: error }, 'the monitor failed to measure');
      })
      .finally(() => {
        this.#ticking = undefined;
      });
  }
}
