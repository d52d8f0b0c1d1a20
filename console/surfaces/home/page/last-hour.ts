export const HOUR_S = 3600;

type Points = readonly (readonly [unixS: number, value: number | null])[];

/** The counts, and the seconds of the hour that they cover; null where nothing was measured. */
export interface LastHour {
  readonly requests: number;
  /** Null where the share of errors is not known. */
  readonly errors: number | null;
  readonly measuredS: number;
}

/**
 * Counts from rates and shares of errors, as the Monitor keeps them. A time without a measure adds
 * nothing, and is not measured.
 */
export function lastHour(rates: Points, shares: Points, stepS: number): LastHour | null {
  const shareAt = new Map(shares);
  const known = rates.flatMap(([time, rate]) => (rate === null ? [] : [{ time, rate }]));
  if (known.length === 0) return null;
  let requests = 0;
  let errors: number | null = 0;
  for (const { time, rate } of known) {
    requests += rate * stepS;
    // Without requests there is no share of them.
    const share = rate === 0 ? 0 : (shareAt.get(time) ?? null);
    errors = errors === null || share === null ? null : errors + rate * share * stepS;
  }
  return { requests, errors, measuredS: Math.min(HOUR_S, known.length * stepS) };
}
