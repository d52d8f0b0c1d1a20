import path from 'node:path';
import type { Logger } from '../../../../src/telemetry/logger.js';
import type { ConsoleOptions } from '../../../config/load.js';
import { ApiError } from '../../../server/api-error.js';
import {
  isOver,
  type RunActor,
  type RunControl,
  type RunFacts,
  type RunView,
} from '../../../server/runs/run.js';
import type { Runs } from '../../../server/runs/runs.js';
import { ArmedFault, asNoSpace } from './armed-fault.js';
import type { DeadMenOptions } from './dead-men.js';
import type { FaultKind, FaultRequest, NetEvidence, RevertReport, RevertTools } from './fault.js';
import { LateLines } from './late-lines.js';
import { journalOf, type NetEntry } from './net-journal.js';
import { Plans, type PlanTools } from './plans.js';
import { takeBack, toolsOf } from './take-back.js';

export interface FaultNetOptions {
  readonly options: PlanTools & Pick<ConsoleOptions, 'stateDir'>;
  readonly runs: Runs;
  readonly now: () => number;
  readonly logger: Pick<Logger, 'error' | 'info'>;
  readonly deadMen?: DeadMenOptions;
  readonly cooldownS?: number;
  /** Between tries of what a full disk, or a node, has refused. */
  readonly againMs?: number;
}

/** One fault at a time: with two, what each of them did could not be told. */
const LOCK = 'lab.faults';
const TTL_S_MIN = 10;
const TTL_S_MAX = 3600;
const COOLDOWN_S = 60;
/** Before what could not be taken back is tried again. */
const AGAIN_MS = 2000;

/**
 * The net below the Lab's faults: one fault at a time, each taken back whatever dies. Faults are
 * durable runs, with a plan on the disk and dead-men for each. `Lab.net` has it.
 */
export class FaultNet {
  /** The tools of reverts, and of faults. */
  readonly tools: RevertTools;
  readonly #plans: Plans;
  readonly #planTools: PlanTools;
  readonly #kinds = new Set<string>();
  readonly #armed = new Map<string, ArmedFault<RunFacts>>();
  readonly #again = new Set<NodeJS.Timeout>();
  readonly #reports = new Map<string, RevertReport>();
  readonly #late: LateLines;
  #isClosed = false;

  constructor(private readonly given: FaultNetOptions) {
    const { stateDir, nodeDriver, clusterNodes, nodeRoot } = given.options;
    this.#planTools = { nodeDriver, clusterNodes, nodeRoot };
    this.tools = toolsOf(this.#planTools);
    this.#plans = new Plans(path.join(stateDir, 'lab', 'net'));
    this.#late = new LateLines(this.#plans, given.againMs ?? AGAIN_MS);
  }

  /** Makes a kind of fault known; to call when the Lab is made, before `runs.recover()`. */
  register<Params extends RunFacts, Result, Means>(kind: FaultKind<Params, Result, Means>): void {
    this.#kinds.add(kind.name);
    this.given.runs.register<Params, Result, Means>({
      name: kind.name,
      access: 'mutate',
      kept: kind.kept,
      // Whether it goes on is for `run` to say: that depends on how far it had come.
      resumes: true,
      isTemporary: true,
      run: (control) => this.#run(kind, control),
      revert: (control) => this.#revert(kind.name, control),
    });
  }

  /**
   * @throws ApiError fault_active with who holds it; cooldown with `details.until_unix_s`;
   *   unprocessable for a time out of range; no_space; system errors
   */
  async start<Params extends RunFacts>(
    name: string,
    { params, target, ttlS, means }: FaultRequest<Params>,
    by: RunActor,
  ): Promise<RunView<Params>> {
    checkTtl(ttlS);
    await this.refuseNow();
    // The time of a fault is written down with its parameters: the run itself may be longer.
    const whole = { ...params, ttl_s: ttlS };
    try {
      const request = { params: whole, target, lock: LOCK, means };
      return await this.given.runs.start<Params>(name, request, by);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'locked' && this.active !== undefined) {
        throw faultActive(this.active);
      }
      throw asNoSpace(error);
    }
  }

  /** @throws ApiError fault_active, cooldown: while no other fault may begin */
  async refuseNow(): Promise<void> {
    const untilS = await this.cooldownUntilS();
    const { active } = this;
    if (active !== undefined) throw faultActive(active);
    if (untilS !== undefined) {
      const leftS = Math.max(1, Math.ceil(untilS - this.given.now() / 1000));
      throw new ApiError(
        'cooldown',
        `Cooldown after the last fault. Try again in ${leftS} s.`,
        { until_unix_s: untilS },
        leftS,
      );
    }
  }

  /** The fault that is not over. */
  get active(): RunView | undefined {
    return this.given.runs.holder(LOCK);
  }

  /**
   * Ends a fault before its time: its run takes back what it broke, and says what it found.
   * @throws ApiError not_found for one that is over
   */
  async end(id: string): Promise<void> {
    const armed = this.#armed.get(id);
    if (armed !== undefined) {
      armed.end('ended');
      return;
    }
    // A fault that is stuck is tried once more.
    await this.given.runs.cancel(id);
  }

  /** Until when no other fault may begin; undefined when one may. Seconds since 1970. */
  async cooldownUntilS(): Promise<number | undefined> {
    const all = await this.given.runs.list();
    // One that was refused, or could not be written down, has not touched the cluster.
    const hasActed = ({ evidence }: RunView) => (netOf(evidence)?.step ?? null) !== null;
    const ended = all.filter((run) => this.#kinds.has(run.kind) && hasActed(run));
    const latestS = Math.max(0, ...ended.map(({ ended_unix_s: endedS }) => endedS ?? 0));
    const untilS = latestS + (this.given.cooldownS ?? COOLDOWN_S);
    return 1000 * untilS > this.given.now() ? untilS : undefined;
  }

  /** The entries of a fault in the net's journal, oldest first. */
  journal(id: string): Promise<readonly (NetEntry & { readonly unix_s: number })[]> {
    return journalOf(this.#plans.folder, id);
  }

  /**
   * Takes back the plans that no run knows of any more, such as after the loss of its journal. Never
   * rejects: what cannot be taken back is logged, and its dead-men go on.
   */
  async recover(): Promise<void> {
    try {
      const runs = await this.given.runs.list();
      const open = new Set(runs.filter(({ state }) => !isOver(state)).map(({ id }) => id));
      for (const id of await this.#plans.ids()) {
        if (!open.has(id)) await this.#recoverPlan(id);
      }
    } catch (error) {
      if (!this.#isClosed) this.given.logger.error({ err: error }, 'a plan of a fault is left');
    }
  }

  /** One that cannot be read, or taken back, keeps no other waiting. */
  async #recoverPlan(id: string): Promise<void> {
    const { logger } = this.given;
    try {
      const report = await takeBack(this.#plans, id, 'console', this.#late.add);
      const lost = report?.outcomes.filter(({ ok }) => !ok) ?? [];
      if (lost.length > 0) logger.error({ id, outcomes: lost }, 'a plan of a fault is left');
    } catch (error) {
      if (!this.#isClosed) logger.error({ err: error, id }, 'a plan of a fault is left');
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#late.close();
    for (const timer of this.#again) clearTimeout(timer);
    for (const armed of this.#armed.values()) armed.close();
  }

  async #run<Params extends RunFacts, Result, Means>(
    kind: FaultKind<Params, Result, Means>,
    control: RunControl<Params, Means>,
  ): Promise<Result> {
    const fault = await this.#open(kind.name, control);
    try {
      if (control.isResumed) await this.#rearm(kind, fault);
      this.#armed.set(control.id, fault);
      const result = await kind.run(fault);
      if (fault.isArmed && !control.signal.aborted) await fault.revert();
      return result;
    } finally {
      fault.close();
      this.#armed.delete(control.id);
    }
  }

  /** @throws ApiError not_running: what the run did is taken back then */
  async #rearm<Params extends RunFacts, Result, Means>(
    kind: FaultKind<Params, Result, Means>,
    fault: ArmedFault<Params, Means>,
  ): Promise<void> {
    const net = netOf(fault.evidence);
    const isHeld = kind.holds && net?.phase === 'held';
    const hasTime = net !== undefined && 1000 * net.deadline_unix_s > this.given.now();
    if (isHeld && hasTime && (await this.#plans.read(fault.id)) !== undefined) {
      await fault.rearm();
      return;
    }
    throw new ApiError('not_running', 'The console stopped while the fault was active.');
  }

  /** Takes back what a run has left; called by the runs however it ended. */
  async #revert<Params extends RunFacts>(name: string, control: RunControl<Params>): Promise<void> {
    try {
      const fault = await this.#open(name, control);
      if (netOf(control.evidence) === undefined) {
        // Its plan may be there: a crash came before the first note.
        await takeBack(this.#plans, control.id, 'console', this.#late.add);
        return;
      }
      const report: RevertReport = await fault.revert();
      this.given.logger.info({ id: control.id, by: report.by }, 'a fault was taken back');
    } catch (error) {
      this.#tryAgain(control.id);
      throw error;
    }
  }

  #tryAgain(id: string): void {
    if (this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#again.delete(timer);
      // It is over by now, where an operator has ended it meanwhile.
      this.given.runs.cancel(id).catch(() => undefined);
    }, this.given.againMs ?? AGAIN_MS).unref();
    this.#again.add(timer);
  }

  async #open<Params extends RunFacts, Means>(
    kind: string,
    control: RunControl<Params, Means>,
  ): Promise<ArmedFault<Params, Means>> {
    const { now, deadMen } = this.given;
    const { target, actor } = await this.given.runs.get(control.id);
    const { ttl_s: ttlS } = control.params as { readonly ttl_s?: number };
    const [plans, tools] = [this.#plans, this.#planTools];
    const about = { control, kind, target, actor, ttlS: ttlS ?? TTL_S_MIN };
    const told = { reports: this.#reports, onUnwritten: this.#late.add };
    return new ArmedFault({ ...about, ...told, plans, tools, now, deadMen });
  }
}

/** @throws ApiError unprocessable for seconds that no fault may last */
export function checkTtl(ttlS: number): void {
  if (Number.isInteger(ttlS) && ttlS >= TTL_S_MIN && ttlS <= TTL_S_MAX) return;
  throw new ApiError(
    'unprocessable',
    `The fault duration must be a whole number of seconds from ${TTL_S_MIN} to ${TTL_S_MAX}.`,
    { min: TTL_S_MIN, max: TTL_S_MAX },
  );
}

/** The net's part in the evidence of a run; undefined for a run that was never armed. */
export function netOf(evidence: RunFacts | null): NetEvidence | undefined {
  return (evidence as { readonly net?: NetEvidence } | null)?.net;
}

function faultActive({ id, kind, target, actor, evidence }: RunView): ApiError {
  const untilS = netOf(evidence)?.deadline_unix_s ?? null;
  return new ApiError('fault_active', `${actor} has a fault in progress. Try again when it ends.`, {
    ...{ id, kind, target, actor, until_unix_s: untilS },
  });
}
