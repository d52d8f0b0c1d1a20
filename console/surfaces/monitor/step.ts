/** Beyond what the specification's rule names: a month at an hour would be 720 points. */
const STEPS_S = [15, 30, 60, 300, 900, 3600, 10_800, 21_600, 43_200, 86_400];
const POINTS = 300;

/** Longest range that can be asked for. */
export const RANGE_S_MAX = 366 * 86_400;

/**
 * The distance between points of a chart: the next of a few round ones, so that no range has more
 * than some 400 of them.
 * @param intervalS - how often something is measured; a shorter step would be mostly gaps
 */
export function stepOf(rangeS: number, intervalS = 0): number {
  const wanted = Math.max(rangeS / POINTS, intervalS);
  return STEPS_S.find((step) => step >= wanted) ?? Math.ceil(wanted / 86_400) * 86_400;
}

/** A range whose first and last point lie on multiples of its step, in seconds. */
export interface Range {
  readonly fromS: number;
  readonly toS: number;
  readonly stepS: number;
}

export function rangeOf(fromS: number, toS: number, intervalS = 0): Range {
  const stepS = stepOf(toS - fromS, intervalS);
  return { fromS: Math.floor(fromS / stepS) * stepS, toS: Math.floor(toS / stepS) * stepS, stepS };
}

/** The times of a range's points. */
export function timesOf({ fromS, toS, stepS }: Range): number[] {
  const times: number[] = [];
  for (let time = fromS; time <= toS; time += stepS) times.push(time);
  return times;
}
