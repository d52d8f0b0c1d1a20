import { histogramQuantile, type Bucket } from '../../../../src/telemetry/quantile.js';

/** The counts of a timer since something began. */
export interface Timer {
  readonly count: number;
  readonly sumMs: number;
  /** Upper bounds in milliseconds, with the observations that are not above; the last is Infinity. */
  readonly buckets: readonly Bucket[];
}

/** Timers by name: `gateway.put.hash`, `swift.object-server.PUT`. */
export type Timers = ReadonlyMap<string, Timer>;

/** The counts between two looks; a timer that has begun anew counts from its new beginning. */
export function since(before: Timers, now: Timers): Map<string, Timer> {
  const changed = new Map<string, Timer>();
  for (const [name, timer] of now) {
    const former = before.get(name);
    const isSame = former !== undefined && former.count <= timer.count;
    changed.set(name, isSame ? difference(former, timer) : timer);
  }
  return changed;
}

function difference(former: Timer, now: Timer): Timer {
  const counts = new Map(former.buckets.map(({ le, count }) => [le, count]));
  return {
    count: now.count - former.count,
    sumMs: Math.max(0, now.sumMs - former.sumMs),
    buckets: now.buckets.map(({ le, count }) => ({
      le,
      count: Math.max(0, count - (counts.get(le) ?? 0)),
    })),
  };
}

/** Timers of one name in several places, such as processes. */
export function together(timers: readonly Timer[]): Timer {
  const counts = new Map<number, number>();
  for (const { buckets } of timers) {
    for (const { le, count } of buckets) counts.set(le, (counts.get(le) ?? 0) + count);
  }
  return {
    count: timers.reduce((sum, { count }) => sum + count, 0),
    sumMs: timers.reduce((sum, { sumMs }) => sum + sumMs, 0),
    buckets: [...counts].map(([le, count]) => ({ le, count })),
  };
}

/** @returns null where nothing was observed */
export function p95Of({ count, buckets }: Timer): number | null {
  return count === 0 ? null : (histogramQuantile(0.95, buckets) ?? null);
}
