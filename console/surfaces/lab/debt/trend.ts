/** A debt at a time. */
export interface DebtSample {
  readonly unix_s: number;
  readonly debt_s: number;
}

const WINDOW_S = 3600;
const SAMPLES_LEAST = 10;
/** Samples that slopes are taken of: pairs of more would take more than a millisecond. */
const SAMPLES_MOST = 120;

/**
 * By how many seconds the debt grows in an hour: the median of the slopes between all pairs of
 * samples of the last hour (Theil and Sen), which one odd sample does not bend.
 * @returns null for fewer than ten samples
 */
export function interestOf(samples: readonly DebtSample[], nowS: number): number | null {
  const recent = samples.filter(({ unix_s: time }) => time >= nowS - WINDOW_S);
  if (recent.length < SAMPLES_LEAST) return null;
  const step = Math.ceil(recent.length / SAMPLES_MOST);
  const chosen = recent.filter((_, place) => place % step === 0);
  const slopes: number[] = [];
  for (const [place, one] of chosen.entries()) {
    for (const other of chosen.slice(place + 1)) {
      const time = other.unix_s - one.unix_s;
      if (time > 0) slopes.push((other.debt_s - one.debt_s) / time);
    }
  }
  if (slopes.length === 0) return null;
  slopes.sort((a, b) => a - b);
  const middle = slopes.length >> 1;
  const [low = 0, high = 0] = [slopes[(slopes.length - 1) >> 1], slopes[middle]];
  return 1800 * (low + high);
}

/** The figures from which the time until insolvency is taken. */
export interface DebtCourse {
  readonly debtS: number | null;
  readonly interestSPerH: number | null;
  /** By how much replicators of nodes are late; those that are in time are 0. */
  readonly lagsS: readonly number[];
  readonly reclaimAgeS: number;
}

/**
 * Seconds until tombstones go whose deletion is not known everywhere: the debt, at its present
 * slope, is as long as `reclaimAgeS`, or a node's replicators have stood still for as long.
 * @returns null where neither will be: the cluster is solvent, as far as is known
 */
export function insolvencyOf({
  debtS,
  interestSPerH,
  lagsS,
  reclaimAgeS,
}: DebtCourse): number | null {
  const ends = lagsS.filter((lag) => lag > 0).map((lag) => reclaimAgeS - lag);
  if (debtS !== null && debtS >= reclaimAgeS) ends.push(0);
  else if (debtS !== null && interestSPerH !== null && interestSPerH > 0) {
    ends.push((3600 * (reclaimAgeS - debtS)) / interestSPerH);
  }
  return ends.length === 0 ? null : Math.max(0, Math.min(...ends));
}
