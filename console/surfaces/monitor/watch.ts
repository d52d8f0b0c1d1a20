import type { Logger } from '../../../src/telemetry/logger.js';
import { hasChanged, restoreAlerts, saveAlerts } from './alerts/alert-file.js';
import { evaluate, shownAlerts, type ActiveAlert } from './alerts/evaluator.js';
import type { Rule, View } from './alerts/rule.js';
import { restoreHistory, saveHistory } from './history/history-file.js';
import { History, pointsSince } from './history/history.js';
import { SOURCES_UP } from './panels/cluster.js';
import type { SourceId } from './panels/panel.js';
import type { Assignment } from './panels/panels.js';
import { SourceError, type Sampler } from './sources/source.js';

export interface WatchOptions {
  readonly samplers: readonly Sampler[];
  /** The source that measures each panel. */
  readonly assignments: ReadonlyMap<string, Assignment>;
  readonly rules: readonly Rule[];
  readonly stateDir: string;
  readonly now: () => number;
  readonly logger: Logger;
}

/** How a source is. */
export interface SourceStatus {
  readonly state: 'starting' | 'ok' | 'down';
  /** The time of the last answer. */
  readonly lastMs?: number;
  /** Since when it is down, and why. */
  readonly sinceMs?: number;
  readonly reason?: string;
  readonly problems: ReadonlyMap<string, string>;
}

const STARTING: SourceStatus = { state: 'starting', problems: new Map() };
const SAVE_EVERY_MS = 5 * 60_000;

/** Asks the sources time and again, keeps what they say, and watches for what is wrong. */
export class Watch {
  readonly history = new History();
  #alerts: readonly ActiveAlert[] = [];
  readonly #status = new Map<SourceId, SourceStatus>();
  #savedMs: number;

  constructor(private readonly options: WatchOptions) {
    this.#savedMs = options.now();
  }

  /** Takes over what the console had before it was restarted. */
  async restore(): Promise<void> {
    const { rules, stateDir, now } = this.options;
    await this.#orWarn('the history of measures cannot be read, and begins anew', () =>
      restoreHistory(this.history, stateDir, now()),
    );
    await this.#orWarn('the state of alerts cannot be read, and begins anew', async () => {
      this.#alerts = await restoreAlerts(rules, stateDir, now());
    });
  }

  /** The present alerts, as they are shown: of one thing one alert. */
  get alerts(): readonly ActiveAlert[] {
    return shownAlerts(this.#alerts);
  }

  /** Asks all sources once, at the same time. */
  async tick(): Promise<void> {
    const nowMs = this.options.now();
    this.history.forgetAhead(nowMs);
    await Promise.all(this.options.samplers.map((sampler) => this.#sample(sampler, nowMs)));
    this.#sampleSources(nowMs);
    const before = this.#alerts;
    this.#alerts = evaluate(this.options.rules, this.#view(nowMs), before, nowMs);
    if (nowMs - this.#savedMs >= SAVE_EVERY_MS) await this.save();
    else if (hasChanged(before, this.#alerts)) await this.#saveAlerts();
  }

  async save(): Promise<void> {
    this.#savedMs = this.options.now();
    await this.#orWarn('the history of measures cannot be saved', () =>
      saveHistory(this.history, this.options.stateDir),
    );
    await this.#saveAlerts();
  }

  #saveAlerts(): Promise<void> {
    const { stateDir, now } = this.options;
    return this.#orWarn('the state of alerts cannot be saved', () =>
      saveAlerts(this.#alerts, stateDir, now()),
    );
  }

  /** A file that cannot be read, or a disk that is full, is no reason to stop watching. */
  async #orWarn(message: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.options.logger.warn({ err: error }, message);
    }
  }

  statusOf(source: SourceId): SourceStatus {
    return this.#status.get(source) ?? STARTING;
  }

  /**
   * Since when a measure of a panel is of the latest sample.
   * @returns undefined when nothing is known of the panel now
   */
  freshSinceMs(panel: string): number | undefined {
    const assignment = this.options.assignments.get(panel);
    if (assignment?.source === undefined) return undefined;
    const { state, lastMs, problems } = this.statusOf(assignment.source);
    return state === 'ok' && !problems.has(panel) ? lastMs : undefined;
  }

  /** @returns undefined for a panel of which something is known */
  unknownBecause(panel: string): string | undefined {
    const assignment = this.options.assignments.get(panel);
    if (assignment === undefined) return 'there is no such panel';
    if (assignment.source === undefined) return assignment.reason;
    const status = this.statusOf(assignment.source);
    if (status.state === 'starting') return 'nothing was measured yet';
    if (status.state === 'ok') return status.problems.get(panel);
    const sampler = this.options.samplers.find(({ id }) => id === assignment.source);
    return `no data since ${isoTime(status.sinceMs ?? 0)}: ${sampler?.title ?? 'source'}: ${status.reason ?? ''}`;
  }

  async #sample(sampler: Sampler, nowMs: number): Promise<void> {
    const before = this.statusOf(sampler.id);
    try {
      const { measures, problems } = await sampler.sample(nowMs);
      for (const measure of measures) this.history.add(nowMs, measure);
      this.#status.set(sampler.id, { state: 'ok', lastMs: nowMs, problems });
      if (before.state === 'down') this.#log(sampler, 'a source of measures answers again');
    } catch (error) {
      const reason = error instanceof SourceError ? error.reason : 'it failed';
      const { lastMs } = before;
      this.#status.set(sampler.id, {
        state: 'down',
        sinceMs: before.sinceMs ?? nowMs,
        reason,
        problems: new Map(),
        ...(lastMs === undefined ? {} : { lastMs }),
      });
      if (before.state !== 'down') this.#log(sampler, 'a source of measures is down', error);
    }
  }

  /** Whether each source answers is known whatever it says. */
  #sampleSources(nowMs: number): void {
    for (const { id, title } of this.options.samplers) {
      const value = Number(this.statusOf(id).state === 'ok');
      this.history.add(nowMs, { panel: SOURCES_UP, labels: { source: title }, value });
    }
    this.#status.set('console', { state: 'ok', lastMs: nowMs, problems: new Map() });
  }

  #log({ id }: Sampler, message: string, error?: unknown): void {
    if (error === undefined) this.options.logger.info({ source: id }, message);
    else this.options.logger.warn({ source: id, err: error }, message);
  }

  #view(nowMs: number): View {
    return {
      series: (panel) => {
        const sinceMs = this.freshSinceMs(panel);
        if (sinceMs === undefined) return undefined;
        return this.history.of(panel, sinceMs).map((kept) => ({
          labels: kept.labels,
          value: kept.lastValue,
          points: (overS) => pointsSince(kept, nowMs - overS * 1000, nowMs),
        }));
      },
    };
  }
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
