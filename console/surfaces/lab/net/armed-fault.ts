import { ApiError } from '../../../server/api-error.js';
import type { RunControl, RunFacts } from '../../../server/runs/run.js';
import { DeadMen, type DeadMenOptions } from './dead-men.js';
import type { FaultControl, NetEvidence, Revert, RevertReport } from './fault.js';
import { appendToJournal, reportOf, type NetLine } from './net-journal.js';
import type { Plans, PlanTools } from './plans.js';
import { takeBack } from './take-back.js';

export interface ArmedFaultOptions<Params extends RunFacts, Means = unknown> {
  readonly control: RunControl<Params, Means>;
  readonly kind: string;
  readonly target: string;
  readonly actor: string;
  readonly ttlS: number;
  readonly plans: Plans;
  readonly tools: PlanTools;
  readonly now: () => number;
  readonly deadMen?: DeadMenOptions | undefined;
  /** The reports of faults that this console has taken back, by id, until their runs have noted them. */
  readonly reports: Map<string, RevertReport>;
  readonly onUnwritten: (line: NetLine) => void;
}

/** How often dead-men are looked after. */
const LOOK_MS = 1000;

/** A fault under the net, for as long as its run goes on. */
export class ArmedFault<Params extends RunFacts, Means = unknown> implements FaultControl<
  Params,
  Means
> {
  readonly signal: AbortSignal;
  readonly #end = new AbortController();
  #facts: RunFacts;
  #net: NetEvidence | undefined;
  #deadMen: DeadMen | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: ArmedFaultOptions<Params, Means>) {
    const { control } = options;
    this.signal = AbortSignal.any([control.signal, this.#end.signal]);
    const { net, ...facts } = { ...control.evidence } as RunFacts & { net?: NetEvidence };
    this.#facts = facts;
    this.#net = net;
  }

  get id(): string {
    return this.options.control.id;
  }

  get params(): Params {
    return this.options.control.params;
  }

  get means(): Means | undefined {
    return this.options.control.means;
  }

  get evidence(): RunFacts | null {
    return this.#net === undefined ? this.#facts : { ...this.#facts, net: this.#net };
  }

  get isResumed(): boolean {
    return this.options.control.isResumed;
  }

  get progress(): RunControl['progress'] {
    return this.options.control.progress;
  }

  /** Whether something may be broken. */
  get isArmed(): boolean {
    return this.#net !== undefined && this.#net.phase !== 'reverted';
  }

  /** @param reason that its run is told */
  end(reason: 'ended' | 'deadline'): void {
    this.#end.abort(reason);
  }

  readonly note = async (facts: RunFacts): Promise<void> => {
    await this.#write(() => ({ facts, net: this.#net }));
  };

  async arm(reverts: readonly Revert[], ttlS = this.options.ttlS): Promise<void> {
    if (this.#net !== undefined) throw new Error('the fault is armed already');
    const { id } = this;
    const { kind, target, actor, plans, tools, now } = this.options;
    const deadlineS = Math.floor(now() / 1000) + ttlS;
    try {
      const what = { v: 1, id, kind, target, actor, reverts, tools } as const;
      await plans.write({ ...what, deadline_unix_s: deadlineS });
      await plans.locked(() =>
        appendToJournal(plans.folder, {
          ...{ id, kind, target, state: 'armed', by: 'console', outcomes: [] },
        }),
      );
      await this.#watch(deadlineS, 'armed', null);
    } catch (error) {
      this.#rest();
      await plans.remove(id).catch(() => undefined);
      throw asNoSpace(error);
    }
  }

  /** Looks after a fault that a former console has left, with time left. */
  async rearm(): Promise<void> {
    if (this.#net === undefined) throw new Error('the fault was not armed');
    await this.#watch(this.#net.deadline_unix_s, this.#net.phase, this.#net.step);
  }

  async act<T>(step: string, work: () => Promise<T>): Promise<T> {
    await this.#advance('acting', step);
    const { plans } = this.options;
    // A dead-man that came in between would find nothing broken, remove the plan, and leave the rest.
    return plans.locked(async () => {
      if ((await plans.read(this.id)) !== undefined) return work();
      throw new ApiError('not_running', 'The fault was reverted before this step.');
    });
  }

  async held(): Promise<void> {
    await this.#advance('held', this.#net?.step ?? null);
  }

  async revert(): Promise<RevertReport> {
    const { plans, now, reports, onUnwritten } = this.options;
    const net = this.#net;
    if (net === undefined) throw new Error('the fault is not armed');
    if (net.report !== null) return net.report;
    const report = (await takeBack(plans, this.id, 'console', onUnwritten)) ??
      reports.get(this.id) ??
      (await reportOf(plans.folder, this.id)) ??
        // A journal that was lost, or a full disk: the plan is gone, which a dead-man does at the end.
        { by: 'dead_man' as const, reverted_unix_s: Math.floor(now() / 1000), outcomes: [] };
    const lost = report.outcomes.filter(({ ok }) => !ok);
    if (lost.length > 0) {
      throw new ApiError(
        'driver_failed',
        'Some changes could not be reverted. The console will retry.',
        {
          outcomes: lost,
        },
      );
    }
    this.#rest();
    reports.set(this.id, report);
    await this.#writeNet(() => ({ ...net, phase: 'reverted', dead_men: [], report }));
    reports.delete(this.id);
    return report;
  }

  /** Ends what goes on in this process; dead-men stay as long as the plan does. */
  close(): void {
    this.#rest();
  }

  async #advance(phase: NetEvidence['phase'], step: string | null): Promise<void> {
    if (this.#net === undefined || !this.isArmed) throw new Error('the fault is not armed');
    await this.#writeNet((net) => ({ ...net, phase, step }));
  }

  async #watch(deadlineS: number, phase: NetEvidence['phase'], step: string | null): Promise<void> {
    const { plans, deadMen, now } = this.options;
    const men = new DeadMen(plans.fileOf(this.id), deadlineS, deadMen);
    this.#deadMen = men;
    await men.ensure();
    const net = { phase, step, deadline_unix_s: deadlineS, dead_men: men.pids, report: null };
    await this.#write(() => ({ facts: this.#facts, net }));
    this.#deadline = setTimeout(
      () => {
        this.end('deadline');
      },
      Math.max(0, 1000 * deadlineS - now()),
    );
    this.#lookLater();
  }

  #lookLater(): void {
    this.#look = setTimeout(() => {
      this.#lookAfterThem().catch(() => undefined);
    }, LOOK_MS);
  }

  async #lookAfterThem(): Promise<void> {
    try {
      const men = this.#deadMen;
      const isOpen = (await this.options.plans.read(this.id)) !== undefined;
      // A dead-man was there first: its run has nothing to wait for.
      if (!isOpen) this.end('deadline');
      else if (men !== undefined && (await men.ensure())) {
        await this.#writeNet((net) =>
          net.phase === 'reverted' ? net : { ...net, dead_men: men.pids },
        );
      }
    } finally {
      if (this.#look !== undefined) this.#lookLater();
    }
  }

  #rest(): void {
    clearTimeout(this.#deadline);
    clearTimeout(this.#look);
    this.#look = undefined;
  }

  async #writeNet(change: (net: NetEvidence) => NetEvidence): Promise<void> {
    await this.#write(() => ({
      facts: this.#facts,
      net: this.#net === undefined ? undefined : change(this.#net),
    }));
  }

  /**
   * Notes count once they are on the disk. Each change is made to the result of the one before: the
   * look after dead-men goes on beside the steps, and neither may undo the other.
   */
  #write(change: () => { facts: RunFacts; net: NetEvidence | undefined }): Promise<void> {
    const write = this.#writing.then(async () => {
      const { facts, net } = change();
      await this.options.control.note(net === undefined ? facts : { ...facts, net });
      this.#facts = facts;
      this.#net = net;
    });
    this.#writing = write.catch(() => undefined);
    return write;
  }
}

/** Translates the error of a full disk for an operator; other errors stay as they are. */
export function asNoSpace(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new ApiError(
    'no_space',
    "The console's disk is full, so the revert plan could not be saved. No fault was injected.",
  );
}
