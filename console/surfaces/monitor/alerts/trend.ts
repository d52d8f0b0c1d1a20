/** A measured value at a time in unix seconds. */
export type Point = readonly [unixS: number, value: number];

const POINTS_MIN = 5;

/** A time is known when something was measured in most of so many equal parts of it. */
const PARTS = 5;
const PARTS_MIN = 4;

/**
 * The points of a time of which enough is known to speak of a trend: minutes after a start, or around
 * a long gap, are no trend of six hours.
 * @returns none where too little is known
 */
export function trendPoints(points: readonly Point[], overS: number): readonly Point[] {
  const last = points.at(-1)?.[0] ?? 0;
  const parts = points.map(([time]) => Math.floor(((last - time) * PARTS) / overS));
  return new Set(parts.map((part) => Math.min(part, PARTS - 1))).size < PARTS_MIN ? [] : points;
}

/**
 * The slope of the straight line that fits best (least squares), by the second.
 * @returns undefined for less than five points, or for all at one time
 */
export function slope(points: readonly Point[]): number | undefined {
  if (points.length < POINTS_MIN) return undefined;
  const meanTime = mean(points.map(([time]) => time));
  const meanValue = mean(points.map(([, value]) => value));
  let products = 0;
  let squares = 0;
  for (const [time, value] of points) {
    products += (time - meanTime) * (value - meanValue);
    squares += (time - meanTime) ** 2;
  }
  return squares === 0 ? undefined : products / squares;
}

/**
 * When a line through the points reaches a limit, from the last of them.
 * @returns seconds; undefined when it does not, or when it is unknown
 */
export function secondsUntil(limit: number, points: readonly Point[]): number | undefined {
  const growth = slope(points);
  const last = points.at(-1)?.[1];
  if (growth === undefined || last === undefined || growth <= 0) return undefined;
  return Math.max(0, (limit - last) / growth);
}

export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle];
  const below = sorted[middle - 1];
  const above = sorted[middle];
  return below === undefined || above === undefined ? undefined : (below + above) / 2;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
