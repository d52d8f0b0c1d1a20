/** A logarithmic axis: rows differ by factors of a thousand. */
export interface LogScale {
  /** Place of a value, from 0 to 1. */
  readonly at: (value: number) => number;
  /** Powers of ten, and 2 and 5 between them where there is room. */
  readonly ticks: readonly number[];
}

/** Ticks closer than this many to the whole axis would write over one another. */
const TICKS_MAX = 9;

/** @param values above 0; others are left out */
export function logScale(values: readonly number[]): LogScale {
  const positive = values.filter((value) => value > 0);
  const low = Math.min(...positive, Infinity);
  const high = Math.max(...positive, 0);
  if (!Number.isFinite(low)) return { at: () => 0, ticks: [] };
  const from = Math.log10(low) - 0.15;
  const to = Math.log10(high) + 0.15;
  const at = (value: number) =>
    value <= 0 ? 0 : Math.min(1, Math.max(0, (Math.log10(value) - from) / (to - from)));
  const ticks = [[1, 2, 5], [1]]
    .map((steps) => ticksBetween(10 ** from, 10 ** to, steps))
    .find((candidates) => candidates.length <= TICKS_MAX);
  return { at, ticks: ticks ?? [] };
}

function ticksBetween(low: number, high: number, steps: readonly number[]): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i))
    .flatMap((power) => steps.map((step) => step * power))
    .filter((tick) => tick >= low && tick <= high);
}
