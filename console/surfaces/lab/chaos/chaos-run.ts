import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../../server/api-error.js';
import type {
  ActiveFault,
  Check,
  ClusterHealth,
  FaultWatch,
  Figure,
  RepairSight,
} from './fault.js';
import type { Prober } from './prober.js';
import { ABORT_WORDS, healthChecks, livesOf, reasonToAbort, type AbortReason } from './rules.js';
import { scoreOf, type ProbeSummary, type Score } from './score.js';
import type { ChaosParams, ChaosPhase, ChaosView, TimelineEntry } from './chaos-view.js';

export interface ChaosRunOptions {
  readonly params: ChaosParams;
  readonly fault: ActiveFault;
  readonly prober: Prober;
  readonly health: () => Promise<ClusterHealth>;
  /** Milliseconds since the run began, by a clock that does not jump. */
  readonly elapsedMs: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called when there is something new to see. */
  readonly onChange: (view: ChaosView) => void;
  readonly tickMs?: number;
}

const STEADY_RATIO_MIN = 0.99;
const TICK_MS = 1000;
/** A held fault is taken back so long before the dead-man would. */
export const TTL_RESERVE_S = 5;
const REVERT_TRIES = 3;
const TIMELINE_MAX = 200;

/** One fault from its preflight to its score: see the phases. */
export class ChaosRun {
  #phase: ChaosPhase = 'preflight';
  readonly #phases: { phase: ChaosPhase; t_s: number }[] = [{ phase: 'preflight', t_s: 0 }];
  readonly #timeline: TimelineEntry[] = [];
  readonly #aborting = new AbortController();
  #checks: readonly Check[] = [];
  #figures: readonly Figure[] = [];
  #base: ProbeSummary | null = null;
  #held: ProbeSummary | null = null;
  #abort: AbortReason | null = null;
  #repair: ChaosView['repair'] = null;
  #score: Score | null = null;
  #deadlineS: number | null = null;
  #injectedMs = 0;
  #putsBefore = 0;
  #probes = false;

  constructor(private readonly given: ChaosRunOptions) {}

  /** Ends what is held now; the repair is watched all the same. */
  abort(reason: AbortReason): void {
    if (this.#phase === 'over' || this.#abort !== null) return;
    this.#abort = reason;
    this.#say(ABORT_WORDS[reason]);
    this.#aborting.abort();
  }

  /**
   * @param signal - aborted when the run is cancelled, or the console ends: then the fault is left to
   *   those who take it back
   * @throws ApiError precondition_failed, steady_state_failed: nothing was injected
   */
  async run(signal: AbortSignal): Promise<ChaosView> {
    const { fault, prober } = this.given;
    try {
      await this.#preflight(signal);
      await prober.begin();
      this.#probes = true;
      await this.#steady(signal);
      if (this.#abort === null) await this.#hold(signal);
      signal.throwIfAborted();
      const isClean = await this.#revert();
      await this.#seeRepair(signal);
      await prober.finish();
      await this.#judge(isClean);
      return this.view;
    } finally {
      await fault.stop();
      await prober.finish();
      if (!signal.aborted) await fault.clean();
    }
  }

  get view(): ChaosView {
    const { prober, now, elapsedMs } = this.given;
    const rate = prober.errorRate;
    return {
      at_unix_s: now() / 1000,
      t_s: elapsedMs() / 1000,
      phase: this.#phase,
      phases: this.#phases,
      checks: this.#checks,
      figures: this.#figures,
      timeline: this.#timeline,
      probes: this.#probes ? prober.view : null,
      base: this.#base,
      held: this.#held,
      error_rate: rate,
      lives: this.#abort === 'error_rate' ? 0 : livesOf(rate, prober.wrongReads),
      repair: this.#repair,
      abort: this.#abort,
      score: this.#score,
      deadline_unix_s: this.#deadlineS,
    };
  }

  async #preflight(signal: AbortSignal): Promise<void> {
    const { fault, health } = this.given;
    const general = healthChecks(await health());
    this.#checks = general;
    if (general.every(({ is_ok: isOk }) => isOk)) {
      this.#checks = [...general, ...(await fault.prepare(signal))];
    }
    const failed = this.#checks.filter(({ is_ok: isOk }) => !isOk);
    if (failed.length === 0) return;
    throw new ApiError('precondition_failed', failed.map(({ text }) => text).join(' '), {
      checks: this.#checks,
    });
  }

  /** As long as probes fail without a fault, they would say nothing of it. */
  async #steady(signal: AbortSignal): Promise<void> {
    const { params, prober } = this.given;
    const fromMs = this.#enter('steady');
    await this.#during(params.steady_s, signal, () => Promise.resolve(false));
    this.#base = prober.summary(fromMs, Infinity);
    if (this.#abort !== null) return;
    // The first writes count as well: an object that could not be written is rightly not found.
    const { success_ratio: ratio } = prober.summary(0, Infinity);
    if ((ratio ?? 0) >= STEADY_RATIO_MIN && prober.wrongReads === 0) return;
    const failure = prober.failureSince(0);
    const which =
      failure === undefined
        ? 'No probe got a response.'
        : `${failure.op.toUpperCase()} ${failure.key} returned ${failure.status ?? 'no response'}.`;
    throw new ApiError(
      'steady_state_failed',
      `The cluster is not steady, so no fault was injected. ${which}`,
      {
        probe: failure ?? null,
        success_ratio: ratio,
      },
    );
  }

  async #hold(signal: AbortSignal): Promise<void> {
    const { params, fault, prober, now } = this.given;
    this.#enter('inject');
    await prober.quiet();
    this.#putsBefore = prober.acknowledged;
    this.#deadlineS = Math.floor(now() / 1000) + params.ttl_s;
    this.#injectedMs = this.given.elapsedMs();
    try {
      await fault.inject();
    } catch (error) {
      // A fault that is half done is taken back like a whole one.
      prober.goOn();
      this.abort('failed');
      this.#say(messageOf(error));
      return;
    }
    prober.goOn();
    this.#injectedMs = this.#enter('observe');
    const limitS = Math.min(params.hold_s, params.ttl_s - TTL_RESERVE_S);
    await this.#during(limitS, signal, async () => {
      const { figures, is_over: isOver } = await fault.observe(this.#watch(signal));
      this.#figures = figures;
      const reason = await this.#reasonToAbort();
      if (reason !== undefined) this.abort(reason);
      return isOver === true;
    });
    if (this.#abort !== null) return;
    // The figures now count all that was done meanwhile.
    await prober.quiet();
    const { figures } = await fault.observe({ ...this.#watch(signal), is_last: true });
    this.#figures = figures;
    this.#tell();
  }

  async #reasonToAbort(): Promise<AbortReason | undefined> {
    const { prober, health } = this.given;
    const { errorRate, wrongReads } = prober;
    const found = reasonToAbort({ errorRate, wrongReads, health: await health() });
    if (found?.because !== undefined) this.#say(found.because);
    return found?.reason;
  }

  /** @returns whether it went at the first try, and before any dead-man */
  async #revert(): Promise<boolean> {
    const { fault, prober } = this.given;
    const fromMs = this.#injectedMs;
    const revertMs = this.#enter('revert');
    if (fromMs > 0) this.#held = prober.summary(fromMs, revertMs);
    for (let tries = 1; ; tries++) {
      try {
        const isOurs = await fault.revert();
        this.#deadlineS = null;
        this.#say(
          isOurs
            ? 'The fault was reverted.'
            : 'The fault was already reverted without the console.',
        );
        return isOurs && tries === 1;
      } catch (error) {
        this.#say(`Revert failed: ${messageOf(error)}`);
        if (tries === REVERT_TRIES) throw error;
      }
    }
  }

  async #seeRepair(signal: AbortSignal): Promise<void> {
    const { params, fault } = this.given;
    const fromMs = this.#enter('repair');
    this.given.prober.goOn();
    const never = new AbortController().signal;
    for (;;) {
      const sight: RepairSight = await fault
        .repair(this.#watch(signal))
        .catch((error: unknown) => ({
          is_repaired: false,
          text: messageOf(error),
        }));
      const seconds = (this.given.elapsedMs() - fromMs) / 1000;
      const took = sight.repaired_s ?? seconds;
      this.#repair = { ...sight, seconds: sight.is_repaired ? took : null };
      const seen = await fault.observe(this.#watch(signal)).catch(() => undefined);
      this.#figures = seen?.figures ?? this.#figures;
      this.#tell();
      if (sight.is_repaired || seconds > params.repair_s) break;
      await this.#during(1, signal, () => Promise.resolve(false), never);
    }
    this.#say(this.#repair.text);
  }

  async #judge(isClean: boolean): Promise<void> {
    const { prober, params } = this.given;
    const lost = await prober.lastLook();
    for (const problem of lost) this.#say(problem);
    const hasProbes = (this.#held?.n ?? 0) > 0 && (this.#base?.n ?? 0) > 0;
    if (!hasProbes) this.#say('Not scored: no probes ran before or during the fault.');
    if (hasProbes && this.#held !== null && this.#base !== null) {
      const isRepaired = this.#repair?.is_repaired === true && lost.length === 0;
      this.#score = scoreOf({
        success_ratio: this.#held.success_ratio ?? 0,
        p95_base_ms: this.#base.p95_ms,
        p95_fault_ms: this.#held.p95_ms,
        repair_s: isRepaired ? (this.#repair?.seconds ?? null) : null,
        repair_target_s: params.repair_target_s,
        is_clean: isClean,
        wrong_reads: prober.wrongReads,
      });
    }
    this.#enter('over');
  }

  /** Works once a second until the time or the work is over, or the run is aborted. */
  async #during(
    seconds: number,
    signal: AbortSignal,
    work: () => Promise<boolean>,
    aborting: AbortSignal = this.#aborting.signal,
  ): Promise<void> {
    const { elapsedMs, tickMs = TICK_MS } = this.given;
    const untilMs = elapsedMs() + 1000 * seconds;
    const either = AbortSignal.any([signal, aborting]);
    for (;;) {
      signal.throwIfAborted();
      if (either.aborted) return;
      const isOver = await work().catch((error: unknown) => {
        this.#say(messageOf(error));
        return false;
      });
      this.#tell();
      if (isOver) return;
      const leftMs = untilMs - elapsedMs();
      if (leftMs <= 0) return;
      await delay(Math.min(tickMs, leftMs), undefined, { signal: either }).catch(() => undefined);
    }
  }

  #watch(signal: AbortSignal): FaultWatch {
    const { prober, elapsedMs } = this.given;
    return {
      heldS: () => (elapsedMs() - this.#injectedMs) / 1000,
      puts: prober.acknowledged - this.#putsBefore,
      say: (text) => {
        this.#say(text);
      },
      is_last: false,
      signal,
    };
  }

  /** @returns when it was, in milliseconds since the run began */
  #enter(phase: ChaosPhase): number {
    const ms = this.given.elapsedMs();
    this.#phase = phase;
    this.#phases.push({ phase, t_s: ms / 1000 });
    this.#tell();
    return ms;
  }

  #say(text: string): void {
    if (this.#timeline.length >= TIMELINE_MAX || this.#timeline.at(-1)?.text === text) return;
    this.#timeline.push({ t_s: this.given.elapsedMs() / 1000, text });
  }

  #tell(): void {
    this.given.onChange(this.view);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The operation failed.';
}
