import type { RunControl, RunFacts, RunRequest } from '../../../server/runs/run.js';
import type { ClusterNode, NodeDriver } from '../../../nodes/driver.js';

/**
 * One thing to take back, as data: the console, or a dead-man without it, looks its kind up and
 * does it. It holds no secrets and no live values.
 */
export interface Revert {
  /** A name of `REVERT_KINDS`. */
  readonly kind: string;
  readonly params: RunFacts;
}

/** The tools of reverts. A dead-man has these too; it has no session and no store. */
export interface RevertTools {
  readonly driver: NodeDriver;
  /** @throws Error for a name that `cluster_nodes` does not have */
  readonly node: (name: string) => ClusterNode;
}

/**
 * Takes back one thing. It may be called before the thing was done, after it was taken back, and
 * after a part of either: it looks at what is there, and changes what has to be changed.
 * @returns what it did, as a sentence for the journal
 * @throws whatever kept it from that: it is tried again
 */
export type RevertKind = (params: RunFacts, tools: RevertTools) => Promise<string>;

/** How a revert ended. */
export interface RevertOutcome {
  readonly kind: string;
  readonly ok: boolean;
  /** The work done, or why it could not be. */
  readonly text: string;
}

/** The end of a fault: what was done, and by which process. The net's journal has it too. */
export interface RevertReport {
  readonly by: 'console' | 'dead_man' | 'supervisor';
  readonly reverted_unix_s: number;
  readonly outcomes: readonly RevertOutcome[];
}

/** The means of a fault to break things. */
export interface FaultControl<
  Params extends RunFacts = RunFacts,
  Means = unknown,
> extends RunControl<Params, Means> {
  /**
   * Writes down, on the disk, how to take back all that the fault will break, and starts its dead-men,
   * which do so when its time is over, whatever has become of the console. The time of the fault
   * begins here, and ends with `revert`: a run may be longer.
   * Call it once, before the first thing is broken. Reverts are done in the order given.
   * @param ttlS other than that of the request
   * @throws ApiError no_space, unsupported_here; system errors: then nothing may be broken
   */
  arm(reverts: readonly Revert[], ttlS?: number): Promise<void>;

  /**
   * Does one step that breaks something, once its intent is on the disk. No dead-man takes
   * anything back while the step is under way.
   * @throws Error unless the fault is armed; ApiError not_running where a dead-man has taken it back
   *   already; system errors when the intent cannot be written: the step is not done then; what
   *   `work` throws
   */
  act<T>(step: string, work: () => Promise<T>): Promise<T>;

  /** Says that all is broken that was to be: a fault that `holds` goes on from here. */
  held(): Promise<void>;

  /**
   * Takes back everything now, and ends the dead-men. A run calls it before it verifies the repair;
   * if it does not, that is done when the run ends, however it ends.
   * @throws ApiError driver_failed with the outcomes, when something could not be taken back
   */
  revert(): Promise<RevertReport>;
}

/** The behaviour of faults of one name. */
export interface FaultKind<Params extends RunFacts = RunFacts, Result = unknown, Means = unknown> {
  /** `lab.node`: also the action in the audit log, and `kind` of its runs. */
  readonly name: string;
  /** Runs that are over and stay listed, with their results. */
  readonly kept: number;
  /**
   * Whether a fault that is held, and has time left, goes on when the console was started anew:
   * `run` is called again with `isResumed`, after its dead-men were looked after. Otherwise, and
   * when it was not held yet, it is taken back at the next start.
   */
  readonly holds: boolean;
  /**
   * Breaks something, watches, and returns what it found. What is still broken when it returns or
   * throws is taken back.
   *
   * `signal` is aborted with the reason `ended` by an operator, with `deadline` when the time of the
   * fault is over: then take back, verify, and return a result as usual. It is aborted with any other
   * reason when the run is cancelled and when the console ends: then return at once.
   */
  run(control: FaultControl<Params, Means>): Promise<Result>;
}

/** The request that starts a fault; it ends after `ttlS` seconds, 10 to 3600. */
export type FaultRequest<Params extends RunFacts = RunFacts> = Required<
  Omit<RunRequest<Params>, 'lock' | 'means'>
> &
  Pick<RunRequest<Params>, 'means'>;

/** The net's part in the evidence of a fault's run, under `net`; the rest is the fault's own. */
export interface NetEvidence {
  readonly phase: 'armed' | 'acting' | 'held' | 'reverted';
  /** The step that was begun last. */
  readonly step: string | null;
  /** When it is taken back at the latest. */
  readonly deadline_unix_s: number;
  /** Process ids of its dead-men; empty for those of systemd. */
  readonly dead_men: readonly number[];
  readonly report: RevertReport | null;
}
