/** The spread of several slices of one row. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @returns undefined when there are no values */
export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const low = sorted[Math.floor(middle)] ?? NaN;
  const high = sorted[Math.ceil(middle)] ?? NaN;
  return {
    median: (low + high) / 2,
    min: sorted[0] ?? NaN,
    max: sorted[sorted.length - 1] ?? NaN,
  };
}

/** How far apart the slices are, as a share of their median. */
export function relativeSpread({ median, min, max }: Spread): number {
  return median === 0 ? 0 : (max - min) / median;
}

/**
 * Ratios of two targets, slice by slice: neighbours in time had the same machine.
 * @returns undefined where one of them was not measured
 */
export function ratios(
  own: readonly (number | undefined)[],
  other: readonly (number | undefined)[],
): Spread | undefined {
  const each = own.flatMap((value, i) => {
    const base = other[i];
    return value === undefined || base === undefined || base === 0 ? [] : [value / base];
  });
  return spreadOf(each);
}
