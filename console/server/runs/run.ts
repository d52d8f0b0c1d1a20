import { ApiError } from '../api-error.js';
import type { Right } from '../rights.js';
import type { JsonResult } from './run-result.js';

/**
 * - `intent`: on the disk, before anything is done
 * - `active`: under way
 * - `reverting`: what it did is being taken back
 * - `stuck`: that failed; it is tried again at the next start, and when an operator asks for it
 * - `done`, `failed`, `cancelled`, `reverted`: over
 */
export type RunState =
  'intent' | 'active' | 'reverting' | 'stuck' | 'done' | 'failed' | 'cancelled' | 'reverted';

const OVER: ReadonlySet<RunState> = new Set(['done', 'failed', 'cancelled', 'reverted']);

export function isOver(state: RunState): boolean {
  return OVER.has(state);
}

/** Small values that stand in the journal: no secrets. */
export type RunFacts = Readonly<Record<string, unknown>>;

/** The user who started a run, and the request. */
export interface RunActor {
  readonly actor: string;
  readonly role: string;
  readonly ip: string;
  readonly request_id: string;
  /** The account of the session; left out in the journals of earlier builds. */
  readonly account?: string;
}

/** A run as its journal has it: each line is the whole of it. */
export interface RunEntry extends RunActor {
  readonly v: 1;
  readonly id: string;
  readonly kind: string;
  readonly target: string;
  /** Runs with the same lock exclude each other; null excludes none. */
  readonly lock: string | null;
  readonly params: RunFacts;
  /** The notes of the run on its work, to go on from there or to take it back. */
  readonly evidence: RunFacts | null;
  readonly state: RunState;
  readonly started_unix_s: number;
  readonly ended_unix_s: number | null;
  /** When it ends by itself at the latest. */
  readonly deadline_unix_s: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A run as all operators see it. */
export interface RunView<Params extends RunFacts = RunFacts> extends Omit<
  RunEntry,
  'v' | 'role' | 'ip' | 'request_id' | 'account' | 'params'
> {
  readonly params: Params;
  /** Null before the first, and after the console was started anew. */
  readonly progress: { readonly done: number; readonly total: number | null } | null;
}

/** A run with all that there is of it. */
export interface WholeRun<
  Params extends RunFacts = RunFacts,
  Result = unknown,
  Detail = unknown,
> extends RunView<Params> {
  /** The last report of the run on its progress; null for one that does not run. */
  readonly detail: Detail | null;
  /** Null for a run that has none, or not yet. */
  readonly result: Result | null;
}

/** The inputs and controls of a run at work. */
export interface RunControl<Params extends RunFacts = RunFacts, Means = unknown> {
  readonly id: string;
  readonly params: Params;
  /** See `RunRequest`: undefined for a run that a former console began, and while one is reverted. */
  readonly means: Means | undefined;
  /** The last note of the run, also from before an earlier end of the console: see `note`. */
  readonly evidence: RunFacts | null;
  /** Aborted by an operator, at the deadline, and when the console ends. */
  readonly signal: AbortSignal;
  /** Whether a former console began it. */
  readonly isResumed: boolean;
  /** @param detail more of it, for pages that show this run; kept in memory alone */
  readonly progress: (done: number, total: number | null, detail?: unknown) => void;
  /**
   * Writes down what has been, or is about to be, done; the latest replaces those before.
   * Resolves when it is on the disk. @throws system errors: then the step must not be taken
   */
  readonly note: (evidence: RunFacts) => Promise<void>;
}

/** The behaviour of runs of one name. A kind whose parameters change takes another name. */
export interface RunKind<Params extends RunFacts = RunFacts, Result = unknown, Means = unknown> {
  /** `lab.genome`: also the action in the audit log. */
  readonly name: string;
  /** The right that it takes to cancel one, besides `operate`. */
  readonly access: Right;
  /** Runs that are over and stay listed, with their results. */
  readonly kept: number;
  /**
   * Whether a run that was cut by the end of the console is done again at the next start: `run` is
   * called anew. Otherwise it is reverted, or has failed if it cannot be.
   */
  readonly resumes: boolean;
  /** True for runs that are meant to be reverted, such as faults: the audit log says ok then. */
  readonly isTemporary?: boolean;
  /**
   * True if a run that returns has done everything, even where it was cut meanwhile. Otherwise a run
   * that ends with its signal aborted has not succeeded, whatever it returns.
   */
  readonly returnsWhole?: boolean;
  /** True if its pages ask for its runs: no events are published. */
  readonly isQuiet?: boolean;
  /**
   * Does it. A large result is a `JsonResult`.
   * @throws UnsuccessfulRun for a result that is kept although it has not succeeded
   */
  run(control: RunControl<Params, Means>): Promise<Result | JsonResult>;
  /**
   * Takes back what an unfinished run did, also one of which nothing is known but its intent; may
   * be called again after it has succeeded. It gets a signal of its own, aborted when the console
   * ends. Its notes count at once, and are on the disk when there is room: a full disk is no reason
   * to leave things broken.
   */
  revert?(control: RunControl<Params>): Promise<void>;
  /** Ends what a console that was killed has left running: before the run is said to be over. */
  abandon?(left: Pick<RunEntry, 'id' | 'evidence'>): void;
  /** Details for the audit log of a run that is over. */
  outcome?(ended: RunEntry): Readonly<Record<string, string>>;
}

/** The request that starts a run. */
export interface RunRequest<Params extends RunFacts = RunFacts> {
  readonly params: Params;
  /**
   * Values that the run needs and no journal may hold, such as the account of the user who began
   * it: kept in memory, and by nothing but the run, for as long as it acts.
   */
  readonly means?: unknown;
  readonly target: string;
  readonly lock: string | null;
  /** Ends by itself after so many seconds. */
  readonly ttlS?: number;
}

export function viewOf(entry: RunEntry, progress: RunView['progress']): RunView {
  const { id, kind, target, lock, actor, params, evidence, state, error } = entry;
  const { started_unix_s, ended_unix_s, deadline_unix_s } = entry;
  const times = { started_unix_s, ended_unix_s, deadline_unix_s };
  return { id, kind, target, lock, actor, params, evidence, state, error, ...times, progress };
}

/** The refusal of a run whose lock another one holds. */
export function lockedBy({ id, kind, actor, started_unix_s }: RunView): ApiError {
  return new ApiError('locked', `${actor} has a run in progress. Try again when it finishes.`, {
    id,
    kind,
    actor,
    started_unix_s,
  });
}
