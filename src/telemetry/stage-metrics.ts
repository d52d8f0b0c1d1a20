import { Gauge } from 'prom-client';
import type { Registers } from './collected.js';
import { SeriesHistogram, type HistogramSeries } from './histogram.js';
import { STAGE_NAMES, STAGES, UNATTRIBUTED, type StageClock } from './stage-clock.js';

/** The kinds of requests that are told apart; the label `path`. */
export const REQUEST_PATHS = ['put', 'get', 'head', 'list', 'delete', 'other'] as const;
export type RequestPath = (typeof REQUEST_PATHS)[number];

/** From the parsing of a line to a large body over a slow line. */
export const STAGE_BUCKETS_S = [
  0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.01, 0.05, 0.25, 1, 10, 60,
];

export const STAGES_MAX_METRIC = 'ringway_stages_max_seconds';

export function stageMetricName(stage: string): string {
  return `ringway_stage_${stage}_seconds`;
}

/** One kind of requests: a series for each stage that any was in, by number. */
interface PathSeries {
  readonly stages: (HistogramSeries | undefined)[];
  readonly longest: Float64Array;
}

/** How long requests were in each of their stages. */
export class StageMetrics {
  readonly #histograms: readonly SeriesHistogram[];
  readonly #paths = new Map<RequestPath, PathSeries>();
  #every = 0;
  #countdown = 1;

  constructor(registers: Registers) {
    this.#histograms = STAGE_NAMES.map(
      (stage) =>
        new SeriesHistogram({
          name: stageMetricName(stage),
          help: STAGES[stage],
          label: 'path',
          constant: { stage },
          buckets: STAGE_BUCKETS_S,
          registers,
        }),
    );
    this.#registerLongest(registers);
  }

  /** @param every - one request of so many is measured; 0: none */
  sample(every: number): void {
    this.#every = every;
    this.#countdown = 1;
  }

  /** Whether the next request is to be measured. */
  get isDue(): boolean {
    if (this.#every === 0 || --this.#countdown > 0) return false;
    this.#countdown = this.#every;
    return true;
  }

  /** @param clock - of a request that is over */
  finished(clock: StageClock, path: RequestPath): void {
    const { stages, longest } = this.#pathSeries(path);
    for (let stage = 0; stage < STAGE_NAMES.length; stage++) {
      const seconds = clock.seconds(stage);
      // Each request has the last one, so that it counts them.
      if (seconds === 0 && stage !== LAST) continue;
      const series = (stages[stage] ??= this.#histograms[stage]?.series(path));
      series?.observe(seconds);
      if (seconds > (longest[stage] ?? 0)) longest[stage] = seconds;
    }
  }

  #pathSeries(path: RequestPath): PathSeries {
    let series = this.#paths.get(path);
    if (series === undefined) {
      series = {
        stages: STAGE_NAMES.map(() => undefined),
        longest: new Float64Array(STAGE_NAMES.length),
      };
      this.#paths.set(path, series);
    }
    return series;
  }

  #registerLongest(registers: Registers): void {
    const paths = this.#paths;
    new Gauge({
      name: STAGES_MAX_METRIC,
      help: 'The longest that a request was in a stage, since the listener started.',
      labelNames: ['path', 'stage'],
      aggregator: 'max',
      registers,
      collect() {
        for (const [path, { longest }] of paths) {
          for (const [index, stage] of STAGE_NAMES.entries()) {
            this.set({ path, stage }, longest[index] ?? 0);
          }
        }
      },
    });
  }
}

const LAST = STAGE_NAMES.indexOf(UNATTRIBUTED);
