/** The assumptions of the durability model about the disks. */
export interface DiskAssumptions {
  /** Share of the disks that fail in a year, per cent. */
  readonly afrPct: number;
  /** Mean time until what a failed disk held is whole again, in hours. */
  readonly mttrHours: number;
}

export interface Durability {
  /** Mean time until one placement group loses data, in hours. */
  readonly mttdlHours: number;
  /** The probability that one placement group loses data within a year. */
  readonly lossPerYear: number;
  /** `-log10(lossPerYear)`: "nines". */
  readonly nines: number;
  /** An upper bound for all partitions together. */
  readonly clusterLossPerYear: number;
}

const HOURS_PER_YEAR = 8766;

/**
 * A birth-death chain: `members` disks hold a placement group, each fails at a constant rate, all
 * that failed are repaired at the same time, and one failure more than `tolerated` loses data. It
 * leaves out failures that come together, errors that are found only when data is read, and
 * operators: its result is for comparing policies, not a promise.
 */
export function durability(
  members: number,
  tolerated: number,
  partitions: number,
  { afrPct, mttrHours }: DiskAssumptions,
): Durability {
  const failureRate = afrPct / 100 / HOURS_PER_YEAR;
  const repairRate = 1 / mttrHours;
  let step = 1 / (members * failureRate);
  let mttdlHours = step;
  for (let failed = 1; failed <= tolerated; failed++) {
    step = (1 + failed * repairRate * step) / ((members - failed) * failureRate);
    mttdlHours += step;
  }
  // 1 - exp(-x) and 1 - (1 - p) ** n would be 0 for what is as small as this.
  const lossPerYear = -Math.expm1(-HOURS_PER_YEAR / mttdlHours);
  const clusterLossPerYear =
    lossPerYear === 1 ? 1 : -Math.expm1(partitions * Math.log1p(-lossPerYear));
  return { mttdlHours, lossPerYear, nines: -Math.log10(lossPerYear), clusterLossPerYear };
}
