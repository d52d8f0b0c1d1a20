/** Beyond what the specification's rule names: a month at an hour would be 720 points. */
const STEPS_S = [15, 30, 60, 300, 900, 3600, 10_800, 21_600, 43_200, 86_400];
/**
 * Steps for the console's own history. A step that is no multiple of the time between two kept
 * points has two of them in one step and none in the next, and a line with a gap at every second
 * point is not drawn at all: these are multiples of 10 s, 60 s and 600 s.
 */
const KEPT_STEPS_S = [
  10, 20, 30, 60, 120, 300, 600, 1200, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
];
/** With two measures to a step, one that comes a moment late leaves no gap. */
const MEASURES_PER_STEP = 2;
const POINTS = 300;

/** Longest range that can be asked for. */
export const RANGE_S_MAX = 366 * 86_400;

/** How often something is measured, and how finely what was measured is kept, in seconds. */
export interface Measured {
  readonly intervalS: number;
  readonly keptStepS: number;
}

/**
 * The distance between points of a chart: the next of a few round ones, so that no range has more
 * than some 400 of them.
 * @param measured of what the console measures itself: a shorter step would be mostly gaps
 */
export function stepOf(rangeS: number, measured?: Measured): number {
  const { intervalS = 0, keptStepS = 1 } = measured ?? {};
  const wanted = Math.max(rangeS / POINTS, MEASURES_PER_STEP * intervalS, keptStepS);
  const steps = measured === undefined ? STEPS_S : KEPT_STEPS_S;
  return (
    steps.find((step) => step >= wanted && step % keptStepS === 0) ??
    Math.ceil(wanted / 86_400) * 86_400
  );
}

/** A range whose first and last point lie on multiples of its step, in seconds. */
export interface Range {
  readonly fromS: number;
  readonly toS: number;
  readonly stepS: number;
}

export function rangeOf(fromS: number, toS: number, measured?: Measured): Range {
  const stepS = stepOf(toS - fromS, measured);
  return { fromS: Math.floor(fromS / stepS) * stepS, toS: Math.floor(toS / stepS) * stepS, stepS };
}

/** The times of a range's points. */
export function timesOf({ fromS, toS, stepS }: Range): number[] {
  const times: number[] = [];
  for (let time = fromS; time <= toS; time += stepS) times.push(time);
  return times;
}
