/** A probe as the score, the chart and the automatic abort look at it. */
export interface ProbeTime {
  /** Milliseconds since the run began. */
  readonly end_ms: number;
  readonly ms: number;
  readonly isOk: boolean;
}

/** How fast, and how well, probes were answered. */
export interface ProbeSummary {
  readonly n: number;
  readonly ok: number;
  /** 0 to 1; null without probes. */
  readonly success_ratio: number | null;
  /** Times of the probes that succeeded, by nearest rank. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly max_ms: number | null;
}

export interface ScoreParts {
  /** Share of the probes that succeeded while the fault was held. */
  readonly success_ratio: number;
  /** 95 of 100 probes were as fast: before, and while the fault was held. */
  readonly p95_base_ms: number | null;
  readonly p95_fault_ms: number | null;
  /** Seconds until all was repaired; null where it was not while the run watched. */
  readonly repair_s: number | null;
  readonly repair_target_s: number;
  /** Whether the fault was taken back by the run itself, at the first try. */
  readonly is_clean: boolean;
  readonly wrong_reads: number;
}

export interface Score {
  /** 0 to 100. */
  readonly total: number;
  readonly parts: readonly { readonly id: string; readonly points: number; readonly of: number }[];
  /** Why it is 0 whatever the parts say. */
  readonly forfeit: string | null;
}

export function summaryOf(probes: readonly ProbeTime[]): ProbeSummary {
  const times = probes.filter(({ isOk }) => isOk).map(({ ms }) => ms);
  times.sort((a, b) => a - b);
  const n = probes.length;
  return {
    n,
    ok: times.length,
    success_ratio: n === 0 ? null : times.length / n,
    p50_ms: rank(times, 0.5),
    p95_ms: rank(times, 0.95),
    max_ms: times.at(-1) ?? null,
  };
}

/** @param sorted - ascending */
function rank(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

/**
 * How well the cluster bore a fault (console.md 7.5):
 * 40 for success, 20 for speed, 30 for the repair, 10 for a clean end; 0 for one wrong byte.
 */
export function scoreOf(given: ScoreParts): Score {
  const { p95_base_ms: base, p95_fault_ms: fault, wrong_reads: wrong } = given;
  const speed = base === null || fault === null ? 0 : Math.min(1, base / Math.max(fault, 1e-9));
  const parts = [
    { id: 'success', points: 40 * given.success_ratio, of: 40 },
    { id: 'speed', points: 20 * speed, of: 20 },
    { id: 'repair', points: 30 * repairOf(given), of: 30 },
    { id: 'clean_revert', points: given.is_clean ? 10 : 0, of: 10 },
  ];
  const forfeit = wrong > 0 ? 'Wrong data was served.' : null;
  const total = forfeit === null ? parts.reduce((sum, { points }) => sum + points, 0) : 0;
  return { total, parts, forfeit };
}

/** 1 within the target, then less for each target's time more. */
function repairOf({ repair_s: s, repair_target_s: target }: ScoreParts): number {
  if (s === null) return 0;
  return s <= target ? 1 : Math.max(0, 1 - (s - target) / target);
}
