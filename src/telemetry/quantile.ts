/** Observations that are not above `le`, as a histogram of Prometheus counts them. */
export interface Bucket {
  /** Upper bound; Infinity for the last. */
  readonly le: number;
  readonly count: number;
}

/**
 * A quantile of a histogram, as PromQL's `histogram_quantile` has it: observations lie evenly in
 * their bucket, the first of which begins at 0; what is above the last bound counts as that bound.
 *
 * @param buckets - in any order, with cumulative counts
 * @returns undefined without observations, or without a bucket for all of them
 */
export function histogramQuantile(
  quantile: number,
  buckets: readonly Bucket[],
): number | undefined {
  const sorted = [...buckets].sort((a, b) => a.le - b.le);
  const last = sorted.at(-1);
  if (last?.le !== Infinity || sorted.length < 2) return undefined;
  // Counts of a sum of several scrapes can be out of step by a little.
  let highest = 0;
  const counts = sorted.map(({ count }) => (highest = Math.max(highest, count)));
  const total = counts.at(-1) ?? 0;
  if (total <= 0) return undefined;
  const rank = quantile * total;
  const index = counts.findIndex((count) => count >= rank);
  if (index === sorted.length - 1) return sorted[index - 1]?.le;
  const upper = sorted[index]?.le ?? 0;
  const lower = index === 0 ? Math.min(0, upper) : (sorted[index - 1]?.le ?? 0);
  const below = index === 0 ? 0 : (counts[index - 1] ?? 0);
  const within = (counts[index] ?? 0) - below;
  // Only the first bucket can be empty and have the rank, at the quantile 0.
  return within <= 0 ? lower : lower + (upper - lower) * ((rank - below) / within);
}
