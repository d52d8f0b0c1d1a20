import { keyOfLabels, type Labels } from '../labels.js';
import type { Measure, Series } from '../measure.js';
import { timesOf, type Range } from '../step.js';
import { RESOLUTIONS, spanS, Tier, type Resolution } from './tier.js';

/** A series as it is kept. */
export interface Kept {
  readonly panel: string;
  readonly labels: Labels;
  readonly tiers: readonly Tier[];
  lastValue: number;
  lastMs: number;
}

/** 15 MB. */
export const SERIES_MAX = 500;
/** How much farther back than a tier a range may begin that is drawn from it. */
const REACH_SLACK = 0.05;
/** A series without measures for this long makes room for others. */
const IDLE_MS = 3_600_000;

/** The measured values, in memory: bounded in series, and each in points. */
export class History {
  readonly #series = new Map<string, Kept>();
  /** Measures that found no room. */
  dropped = 0;

  constructor(private readonly seriesMax = SERIES_MAX) {}

  add(nowMs: number, { panel, labels, value }: Measure): void {
    if (!Number.isFinite(value)) return;
    const key = `${panel} ${keyOfLabels(labels)}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      if (this.#series.size >= this.seriesMax && !this.#makeRoom(nowMs)) {
        this.dropped += 1;
        return;
      }
      series = emptySeries(panel, labels);
      this.#series.set(key, series);
    }
    if (nowMs < series.lastMs) return;
    series.lastValue = value;
    series.lastMs = nowMs;
    for (const tier of series.tiers) tier.add(nowMs / 1000, value);
  }

  /** A clock that was put back: what lies ahead of it would keep everything new out. */
  forgetAhead(nowMs: number): void {
    for (const [key, { lastMs }] of this.#series) if (lastMs > nowMs) this.#series.delete(key);
  }

  /** All series, for a file. */
  all(): Iterable<Kept> {
    return this.#series.values();
  }

  /** Takes over a series that a file has. */
  restore(series: Kept): void {
    if (this.#series.size >= this.seriesMax) return;
    this.#series.set(`${series.panel} ${keyOfLabels(series.labels)}`, series);
  }

  /** The series of a panel that were measured at `sinceMs` or later. */
  of(panel: string, sinceMs = 0): Kept[] {
    return [...this.#series.values()].filter(
      (series) => series.panel === panel && series.lastMs >= sinceMs,
    );
  }

  /** When a panel was measured last; undefined for never. */
  lastMs(panel: string): number | undefined {
    const times = this.of(panel).map((series) => series.lastMs);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** The points of a panel at the times of a range, whose step should be one of `keptStepS`. */
  range(panel: string, range: Range, nowMs: number): Series[] {
    return this.of(panel, range.fromS * 1000).map((series) => ({
      labels: series.labels,
      points: resample(pointsIn(series, range, nowMs / 1000), range),
    }));
  }

  #makeRoom(nowMs: number): boolean {
    let oldest: [string, Kept] | undefined;
    for (const entry of this.#series) {
      if (oldest === undefined || entry[1].lastMs < oldest[1].lastMs) oldest = entry;
    }
    if (oldest === undefined || oldest[1].lastMs > nowMs - IDLE_MS) return false;
    return this.#series.delete(oldest[0]);
  }
}

export function emptySeries(panel: string, labels: Labels): Kept {
  const tiers = RESOLUTIONS.map((resolution) => new Tier(resolution));
  return { panel, labels, tiers, lastValue: NaN, lastMs: 0 };
}

/** Points of a series from a time on, as finely as they are kept. */
export function pointsSince(series: Kept, fromMs: number, nowMs: number): [number, number][] {
  const tier = tierFor(series, (nowMs - fromMs) / 1000);
  return [...tier.between(fromMs / 1000, Infinity)].map(([time, value]) => [time, value]);
}

/** The finest that reaches back so far, or the one that reaches back farthest. */
function tierFor({ tiers }: Kept, backS: number): Tier {
  const found = tiers.find(({ resolution }) => reachesBack(resolution, backS)) ?? tiers.at(-1);
  if (found === undefined) throw new Error('a series without tiers');
  return found;
}

/** How finely that is kept which is so long ago, in seconds. */
export function keptStepS(backS: number): number {
  const last = RESOLUTIONS.at(-1)?.stepS ?? 1;
  return RESOLUTIONS.find((resolution) => reachesBack(resolution, backS))?.stepS ?? last;
}

/** "The last hour" begins some seconds before what is kept of an hour: those are of the next tier. */
function reachesBack(resolution: Resolution, backS: number): boolean {
  return spanS(resolution) * (1 + REACH_SLACK) >= backS;
}

/**
 * The known points of a range: from the tier that reaches back to its start, and where that tier
 * has let the beginning go already, from the coarser ones, each of their points at all
 * times that it stands for.
 */
function* pointsIn(
  series: Kept,
  range: Range,
  nowS: number,
): Generator<readonly [unixS: number, value: number]> {
  const first = series.tiers.indexOf(tierFor(series, nowS - range.fromS));
  let endS = range.toS + range.stepS;
  for (const tier of series.tiers.slice(first)) {
    for (const [time, value] of tier.between(range.fromS, endS)) {
      const untilS = Math.min(time + tier.resolution.stepS, endS);
      for (let at = Math.max(time, range.fromS); at < untilS; at += range.stepS) yield [at, value];
    }
    endS = Math.min(endS, tier.oldestS);
    if (endS <= range.fromS) return;
  }
}

/** Means of what lies between a time and the next. */
function resample(
  points: Iterable<readonly [number, number]>,
  range: Range,
): (readonly [number, number | null])[] {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const [time, value] of points) {
    const slot = Math.floor(time / range.stepS) * range.stepS;
    const found = sums.get(slot);
    if (found === undefined) sums.set(slot, { sum: value, count: 1 });
    else {
      found.sum += value;
      found.count += 1;
    }
  }
  return timesOf(range).map((time) => {
    const found = sums.get(time);
    return [time, found === undefined ? null : found.sum / found.count];
  });
}
