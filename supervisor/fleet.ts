import type { FilledOptions } from '../src/config/options.js';
import type { Roster } from '../src/config/credentials.js';
import type { Logger } from '../src/telemetry/logger.js';
import { Child, type ChildExit, type ChildListener, type ChildProgram } from './child.js';
import { Failure, type ExitReason } from './exit-codes.js';
import { CHILD_KINDS, nameOf, type ChildKind } from './kinds.js';
import { RestartPolicy } from './restart-policy.js';
import type { StartFailure } from '../src/process/protocol.js';

export interface FleetOptions {
  readonly programs: Readonly<Record<ChildKind, ChildProgram>>;
  readonly options: FilledOptions;
  readonly credentials: Roster;
  readonly log: Logger;
  /** A child has gone: its metrics are to be kept. */
  readonly onGone: (child: Child) => void;
  /** A child is to be started again, for this reason. */
  readonly onRestart: (kind: ChildKind, reason: string) => void;
  /** The service cannot go on. Called at most once, and not while draining. */
  readonly onFatal: (failure: Failure) => void;
}

/** One process' place: its number stays when its process is replaced. */
export interface Slot {
  readonly kind: ChildKind;
  /** 1 to `listeners`; 0 for a kind of which there is one. */
  readonly worker: number;
  readonly policy: RestartPolicy;
  child: Child | undefined;
  restarts: number;
  /** Runs while the slot waits for its next start. */
  timer: NodeJS.Timeout | undefined;
}

const EXIT_REASON: Readonly<Record<StartFailure, ExitReason>> = {
  listen: 'listen',
  store: 'dataDirectory',
  internal: 'internal',
};

/** The child processes: all started together, each restarted by itself, all drained together. */
export class Fleet implements ChildListener {
  readonly slots: readonly Slot[];
  readonly #fleet: FleetOptions;
  #phase: 'starting' | 'running' | 'ending' = 'starting';
  #resolveStarted: () => void = () => undefined;
  #resolveEmpty: () => void = () => undefined;

  constructor(fleet: FleetOptions) {
    this.#fleet = fleet;
    const { listeners, janitorIntervalMs } = fleet.options;
    this.slots = [
      ...Array.from({ length: listeners }, (_, index) => this.#slot('listener', index + 1)),
      ...(janitorIntervalMs > 0 ? [this.#slot('janitor', 0)] : []),
    ];
  }

  #slot(kind: ChildKind, worker: number): Slot {
    const policy = new RestartPolicy(this.#fleet.options);
    return { kind, worker, policy, child: undefined, restarts: 0, timer: undefined };
  }

  /** Resolves when every listener accepts; never when `onFatal` or `drain` comes before. */
  start(): Promise<void> {
    const started = new Promise<void>((resolve) => {
      this.#resolveStarted = resolve;
    });
    for (const slot of this.slots) this.#spawn(slot);
    return started;
  }

  /** Children that live, in any state. */
  children(): Child[] {
    return this.slots.flatMap(({ child }) => (child === undefined ? [] : [child]));
  }

  /**
   * Lets all finish; nothing is restarted any more.
   * @returns false when the limit came first and requests were cut
   */
  async drain(timeoutMs: number): Promise<boolean> {
    const empty = this.#end();
    for (const child of this.children()) child.drain();
    let inTime = true;
    const timer = setTimeout(() => {
      inTime = false;
      for (const child of this.children()) child.kill();
    }, timeoutMs);
    await empty;
    clearTimeout(timer);
    return inTime;
  }

  /** Ends all at once, draining or not; resolves when they are gone. */
  async kill(): Promise<void> {
    const empty = this.#end();
    for (const child of this.children()) child.kill();
    await empty;
  }

  onReady(child: Child): void {
    const slot = this.#slotOf(child);
    if (slot === undefined) return;
    this.#fleet.log.info({ worker: slot.worker, childPid: child.pid }, `${slot.kind} up`);
    if (this.#phase !== 'starting') return;
    if (
      this.slots.some(({ kind, child: other }) => servesRequests(kind) && other?.state !== 'up')
    ) {
      return;
    }
    this.#phase = 'running';
    this.#resolveStarted();
  }

  onDrainProgress(child: Child, requestsInProgress: number): void {
    const slot = this.#slotOf(child);
    if (slot === undefined || !servesRequests(slot.kind)) return;
    this.#fleet.log.info({ worker: slot.worker, requestsInProgress }, 'listener draining');
  }

  onExit(child: Child, exit: ChildExit): void {
    const slot = this.#slotOf(child);
    if (slot === undefined) return;
    slot.child = undefined;
    this.#fleet.onGone(child);
    if (this.#phase === 'ending') {
      const { cause, detail } = exit;
      const level = cause === 'drained' || cause === 'killed' ? 'info' : 'warn';
      this.#fleet.log[level]({ worker: slot.worker, cause, detail }, `${slot.kind} ended`);
      if (this.children().length === 0) this.#resolveEmpty();
      return;
    }
    const isFirst = this.#phase === 'starting' && servesRequests(slot.kind);
    const failure = isFirst ? startFailure(slot, exit) : undefined;
    if (failure !== undefined) {
      this.#fail(failure);
      return;
    }
    this.#restartLater(slot, exit);
  }

  #restartLater(slot: Slot, exit: ChildExit): void {
    const { log } = this.#fleet;
    const { cause, detail, failure } = exit;
    const { restartLimit, restartWindowMs } = this.#fleet.options;
    const next = slot.policy.next(performance.now());
    // S3 goes on without the others: what makes them crash may pass.
    const wait = next === 'give-up' && !servesRequests(slot.kind) ? restartWindowMs : next;
    const what = { worker: slot.worker, cause, detail, message: failure?.message };
    if (wait === 'give-up') {
      log.fatal(what, 'listener ended once too often');
      this.#fail(
        new Failure(
          'internal',
          `${nameOf(slot)} ended ${restartLimit + 1} times within ${restartWindowMs} ms, ` +
            `last with ${failure?.message ?? detail}: giving up`,
        ),
      );
      return;
    }
    log.error({ ...what, restartInMs: wait }, `${slot.kind} ended, will be restarted`);
    slot.restarts += 1;
    this.#fleet.onRestart(slot.kind, cause);
    slot.timer = setTimeout(() => {
      this.#spawn(slot);
    }, wait);
  }

  #spawn(slot: Slot): void {
    slot.timer = undefined;
    const { programs, options, credentials } = this.#fleet;
    const init = { type: 'init', worker: slot.worker, options, credentials } as const;
    slot.child = new Child(programs[slot.kind], init, this);
  }

  #slotOf(child: Child): Slot | undefined {
    return this.slots.find((slot) => slot.child === child);
  }

  #fail(failure: Failure): void {
    this.#phase = 'ending';
    this.#clearTimers();
    this.#fleet.onFatal(failure);
  }

  #end(): Promise<void> {
    this.#phase = 'ending';
    this.#clearTimers();
    if (this.children().length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      // A drain that a kill overtakes waits for the same end.
      const before = this.#resolveEmpty;
      this.#resolveEmpty = () => {
        before();
        resolve();
      };
    });
  }

  #clearTimers(): void {
    for (const slot of this.slots) clearTimeout(slot.timer);
  }
}

function servesRequests(kind: ChildKind): boolean {
  return CHILD_KINDS[kind].servesRequests;
}

/**
 * The first start of the service tells what is wrong with it, rather than trying the same again;
 * what a signal ended may have been the kernel's choice, and is tried again.
 */
function startFailure(slot: Slot, { cause, detail, failure }: ChildExit): Failure | undefined {
  if (failure !== undefined) return new Failure(EXIT_REASON[failure.kind], failure.message);
  if (cause !== 'exit' || slot.restarts > 0) return undefined;
  return new Failure(
    'internal',
    `${nameOf(slot)} ended with ${detail} before it was ready; see its lines above`,
  );
}
