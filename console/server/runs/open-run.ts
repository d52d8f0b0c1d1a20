import type { RunJournal } from './run-journal.js';
import { UnsuccessfulRun } from './run-result.js';
import type { RunControl, RunEntry, RunFacts, RunKind, RunState } from './run.js';

/** Why a run is cut. */
export type Cut = 'cancelled' | 'deadline' | 'console_ends';

type RunError = RunEntry['error'];

export interface OpenRunOptions {
  readonly entry: RunEntry;
  readonly kind: RunKind;
  readonly journal: RunJournal;
  readonly isResumed: boolean;
  readonly now: () => number;
  /** Called when there is something new to see of the run. */
  readonly onChange: (run: OpenRun) => void;
  /** Describes an error for the browser and the log. */
  readonly describe: (error: unknown) => { readonly code: string; readonly message: string };
}

/** A run that is not over: it is on the disk before each step. */
export class OpenRun {
  entry: RunEntry;
  /** The entry once the run is over; `entry` stays as it was until that is on the disk. */
  over: RunEntry | undefined;
  progress: { readonly done: number; readonly total: number | null } | null = null;
  detail: unknown = null;
  readonly #cut = new AbortController();
  readonly #ending = new AbortController();
  #cutBy: Cut | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(private readonly options: OpenRunOptions) {
    this.entry = options.entry;
  }

  /** Ends its work; what becomes of it then depends on why. */
  cut(reason: Cut): void {
    if (reason === 'console_ends') this.#ending.abort();
    // The console ends: whatever else was asked for is for the next one to do.
    if (this.#cutBy !== undefined) return;
    this.#cutBy = reason;
    this.#cut.abort();
  }

  /**
   * Does the work, and takes it back where that has to be.
   * @param means what it acts with: no field has it, so that it is gone with this call
   * @returns the result of a run that is over; undefined for none; the run is not over when the
   *   console ends first, or when it is stuck
   */
  async act(means?: unknown): Promise<unknown> {
    const { kind } = this.options;
    this.#watchDeadline();
    let failure: unknown;
    let left: unknown;
    try {
      this.#show('active');
      // A cancel that came while the intent was written has aborted already: `run` would not hear of it.
      this.#cut.signal.throwIfAborted();
      const result = await kind.run(this.#control(this.#cut.signal, means));
      if (!this.#cut.signal.aborted || kind.returnsWhole === true) {
        this.#end('done', null);
        return result;
      }
    } catch (error) {
      const isUnsuccessful = error instanceof UnsuccessfulRun;
      failure = isUnsuccessful ? error.cause : error;
      left = isUnsuccessful ? error.result : undefined;
    } finally {
      clearTimeout(this.#deadline);
    }
    if (this.#cutBy !== 'console_ends') await this.takeBack(this.#errorOf(failure));
    return left;
  }

  /** Takes back what it did, or says that it cannot be. @param error why it did not succeed */
  async takeBack(error: RunError): Promise<void> {
    const { kind, describe, journal } = this.options;
    if (kind.revert === undefined) {
      this.#end(this.#cutBy === 'cancelled' ? 'cancelled' : 'failed', error);
      return;
    }
    try {
      this.#show('reverting', error);
      await journal.write(this.entry).catch(describe);
      await kind.revert(this.#revertControl());
      if (!this.#ending.signal.aborted) this.#end('reverted', error);
    } catch (failure) {
      if (this.#ending.signal.aborted) return;
      const { code, message } = describe(failure);
      this.#show('stuck', { code, message });
      await journal.write(this.entry).catch(describe);
    }
  }

  #control(signal: AbortSignal, means?: unknown): RunControl {
    const { isResumed, journal } = this.options;
    const { id, params, evidence } = this.entry;
    return {
      id,
      params,
      means,
      evidence,
      signal,
      isResumed,
      progress: (done, total, detail = null) => {
        this.progress = { done, total };
        this.detail = detail;
        this.options.onChange(this);
      },
      note: async (noted: RunFacts) => {
        const next = { ...this.entry, evidence: noted };
        await journal.write(next);
        this.entry = { ...this.entry, evidence: noted };
        this.options.onChange(this);
      },
    };
  }

  /** With notes that count before they are on the disk: the end of the run has them, and waits for room. */
  #revertControl(): RunControl {
    const { describe, journal } = this.options;
    const note = async (evidence: RunFacts): Promise<void> => {
      this.entry = { ...this.entry, evidence };
      this.options.onChange(this);
      await journal.write(this.entry).catch(describe);
    };
    return { ...this.#control(this.#ending.signal), note };
  }

  #errorOf(failure: unknown): RunError {
    if (this.#cutBy === 'cancelled') return null;
    if (this.#cutBy === 'deadline') {
      return this.options.kind.revert === undefined
        ? { code: 'timeout', message: 'The time limit was reached.' }
        : null;
    }
    const { code, message } = this.options.describe(failure);
    return { code, message };
  }

  #watchDeadline(): void {
    const { deadline_unix_s: deadline } = this.entry;
    if (deadline === null) return;
    const ms = Math.max(0, 1000 * deadline - this.options.now());
    this.#deadline = setTimeout(() => {
      this.cut('deadline');
    }, ms);
  }

  #end(state: RunState, error: RunError): void {
    const endedS = Math.floor(this.options.now() / 1000);
    this.over = { ...this.entry, state, error, ended_unix_s: endedS };
  }

  #show(state: RunState, error: RunError = null): void {
    this.entry = { ...this.entry, state, error };
    this.options.onChange(this);
  }
}
