import type { Check, Figure, RepairSight } from './fault.js';
import type { ProbeView } from './prober.js';
import type { AbortReason } from './rules.js';
import type { ProbeSummary, Score } from './score.js';

export type ChaosPhase =
  'preflight' | 'steady' | 'inject' | 'observe' | 'revert' | 'repair' | 'over';

export type ChaosParams = Readonly<{
  fault: string;
  /** The target of the fault: `node2/object-server`, `replica-1`, … */
  target: string;
  /** The way in which the fault is done, where there are several: see the catalogue. */
  mode: string;
  /** Seconds for which it is held. */
  hold_s: number;
  /** After which it is taken back whatever happens, by the dead-man. */
  ttl_s: number;
  steady_s: number;
  /** Seconds for which the repair is watched. */
  repair_s: number;
  /** Seconds within which a repair has all points. */
  repair_target_s: number;
  container: string;
}>;

export interface TimelineEntry {
  /** Seconds since the run began. */
  readonly t_s: number;
  readonly text: string;
}

export interface ChaosView {
  readonly at_unix_s: number;
  readonly t_s: number;
  readonly phase: ChaosPhase;
  /** When phases began, in seconds since the run began. */
  readonly phases: readonly { readonly phase: ChaosPhase; readonly t_s: number }[];
  readonly checks: readonly Check[];
  readonly figures: readonly Figure[];
  readonly timeline: readonly TimelineEntry[];
  readonly probes: ProbeView | null;
  readonly base: ProbeSummary | null;
  readonly held: ProbeSummary | null;
  readonly error_rate: number | null;
  readonly lives: number;
  readonly repair: (RepairSight & { readonly seconds: number | null }) | null;
  readonly abort: AbortReason | null;
  readonly score: Score | null;
  /** When the dead-man takes the fault back at the latest; null while none is held. */
  readonly deadline_unix_s: number | null;
}
