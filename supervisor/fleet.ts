import type { FilledOptions } from '../src/config/options.js';
import type { Roster } from '../src/config/credentials.js';
import type { Logger } from '../src/telemetry/logger.js';
import { Child, type ChildExit, type ChildListener, type ChildProgram } from './child.js';
import { Failure, REASON_OF_START } from './exit-codes.js';
import { CHILD_KINDS, nameOf, type ChildKind } from './kinds.js';
import { RestartPolicy } from './restart-policy.js';
import { Signal } from './signal.js';
import { ChildCredentials } from './child-credentials.js';
import type { ChildInit } from '../src/processes/protocol.js';

export interface FleetOptions {
  readonly programs: Readonly<Record<ChildKind, ChildProgram>>;
  readonly options: FilledOptions;
  readonly credentials: Roster;
  readonly consoleConfig: ChildInit['consoleConfig'];
  readonly deploy: ChildInit['deploy'];
  readonly log: Logger;
  /** A child has gone: its metrics are to be kept. */
  readonly onGone: (child: Child) => void;
  /** A child is to be started again, for this reason. */
  readonly onRestart: (kind: ChildKind, reason: string) => void;
  /** The service cannot go on. Called at most once, and not while draining. */
  readonly onFatal: (failure: Failure) => void;
  /**
   * Another fleet serves: whatever goes wrong until this one does is told by `onFatal`, and not tried
   * again.
   */
  readonly isTrial: boolean;
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

/**
 * One generation of child processes: all started together, with one configuration, each restarted by
 * itself, all drained together.
 */
export class Fleet implements ChildListener {
  readonly slots: readonly Slot[];
  readonly #fleet: FleetOptions;
  #credentials: ChildCredentials;
  #phase: 'preparing' | 'beginning' | 'running' | 'ending' = 'preparing';
  readonly #phaseReached = { prepared: new Signal(), running: new Signal() };
  #reported = new Signal();
  /** The last child has gone, and no other follows. */
  readonly #empty = new Signal();

  constructor(fleet: FleetOptions) {
    this.#fleet = fleet;
    this.#credentials = new ChildCredentials(fleet.credentials);
    const { listeners, janitorIntervalMs, storeListen, consoleListen } = fleet.options;
    this.slots = [
      ...Array.from({ length: listeners }, (_, index) => this.#slot('listener', index + 1)),
      ...(janitorIntervalMs > 0 ? [this.#slot('janitor', 0)] : []),
      ...(storeListen === '' ? [] : [this.#slot('store', 0)]),
      ...(consoleListen === '' ? [] : [this.#slot('console', 0)]),
      ...(fleet.deploy === undefined ? [] : [this.#slot('deploy', 0)]),
    ];
  }

  #slot(kind: ChildKind, worker: number): Slot {
    const policy = new RestartPolicy(this.#fleet.options);
    return { kind, worker, policy, child: undefined, restarts: 0, timer: undefined };
  }

  /** Resolves when every listener accepts; never when `onFatal` or `drain` comes before. */
  async start(): Promise<void> {
    await this.prepare();
    await this.begin();
  }

  /**
   * Starts all, up to the point where they would listen.
   * @returns when every listener is prepared, in a trial every child; never when `onFatal` or `drain`
   *   comes before
   */
  prepare(): Promise<void> {
    // `kill` would not wait for children that begin after `drain`.
    const slots = this.#phase === 'ending' ? [] : this.slots;
    for (const slot of slots) this.#spawn(slot);
    return this.#phaseReached.prepared.fired;
  }

  /** Lets all take up their work; resolves as {@link start} does. */
  begin(): Promise<void> {
    this.#phase = 'beginning';
    for (const child of this.children()) child.begin();
    return this.#phaseReached.running.fired;
  }

  /**
   * Resolves when every listener finds its backend and itself well.
   * @returns what is wrong instead, after `timeoutMs`
   */
  async untilWell(timeoutMs: number): Promise<string | undefined> {
    const timeout = new Signal();
    const timer = setTimeout(() => {
      timeout.fire();
    }, timeoutMs);
    let problem = this.#problem();
    while (problem !== undefined && !timeout.hasFired) {
      this.#reported = new Signal();
      await Promise.race([this.#reported.fired, timeout.fired]);
      problem = this.#problem();
    }
    clearTimeout(timer);
    return problem;
  }

  #problem(): string | undefined {
    for (const { kind, worker, child } of this.slots) {
      if (!servesRequests(kind)) continue;
      const bad = child?.health?.checks.find(({ ok }) => !ok);
      if (bad !== undefined) {
        return `${nameOf({ kind, worker })} finds ${bad.name} not well${bad.detail === undefined ? '' : `: ${bad.detail}`}`;
      }
    }
    return undefined;
  }

  /**
   * Others are about to listen in place of these.
   * @returns whether no connection will be lost on the way, as far as is known
   */
  async standAside(timeoutMs: number): Promise<boolean> {
    const answers = this.children().map((child) => child.standAside(timeoutMs));
    return (await Promise.all(answers)).every((lossless) => lossless);
  }

  /** They do not. */
  resume(): void {
    for (const child of this.children()) child.resume();
  }

  /** Sends credentials to every child, also to those that start later. */
  replaceCredentials(credentials: Roster): void {
    const told = new ChildCredentials(credentials);
    this.#credentials = told;
    for (const { kind, child } of this.slots) child?.giveCredentials(told.for(kind));
  }

  /** Children that live, in any state. */
  children(): Child[] {
    return this.slots.flatMap(({ child }) => (child === undefined ? [] : [child]));
  }

  /**
   * Lets all finish; nothing is restarted any more.
   * @param handedOver - others listen in place of these
   * @returns how many were killed at the limit: their requests were cut
   */
  async drain(timeoutMs: number, handedOver: boolean): Promise<number> {
    const empty = this.#end();
    for (const child of this.children()) child.drain(handedOver);
    let cut = 0;
    const timer = setTimeout(() => {
      const late = this.children();
      cut = late.length;
      for (const child of late) child.kill();
    }, timeoutMs);
    await empty;
    clearTimeout(timer);
    return cut;
  }

  /** The clients of those that drain after a handover are to have no time of grace any more. */
  hurry(): void {
    for (const child of this.children()) child.hurry();
  }

  /** Ends all at once, draining or not; resolves when they are gone. */
  async kill(): Promise<void> {
    const empty = this.#end();
    for (const child of this.children()) child.kill();
    await empty;
  }

  onPrepared(child: Child): void {
    if (this.#phase !== 'preparing') {
      child.begin();
      return;
    }
    const { isTrial } = this.#fleet;
    const isAwaited = ({ kind, child: other }: Slot): boolean =>
      (isTrial || servesRequests(kind)) && other?.state !== 'prepared';
    if (!this.slots.some(isAwaited)) this.#phaseReached.prepared.fire();
  }

  onReport(): void {
    this.#reported.fire();
  }

  onReady(child: Child): void {
    const slot = this.#slotOf(child);
    if (slot === undefined) return;
    this.#fleet.log.info({ worker: slot.worker, childPid: child.pid }, `${slot.kind} up`);
    // They may have changed while it started.
    child.giveCredentials(this.#credentials.for(slot.kind));
    this.#mayBeRunning();
  }

  /**
   * During a trial the former children serve. They end only when each new one serves, or has failed
   * to.
   */
  #mayBeRunning(): void {
    if (this.#phase !== 'beginning') return;
    const { isTrial } = this.#fleet;
    const isAwaited = ({ kind, child, restarts }: Slot): boolean =>
      child?.state !== 'up' && (servesRequests(kind) || (isTrial && restarts === 0));
    if (this.slots.some(isAwaited)) return;
    this.#phase = 'running';
    this.#phaseReached.running.fire();
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
      if (this.children().length === 0) this.#empty.fire();
      return;
    }
    const failure = this.#phase === 'running' ? undefined : this.#startFailure(slot, exit);
    if (failure !== undefined) {
      this.#fail(failure);
      return;
    }
    this.#restartLater(slot, exit);
  }

  /** Undefined for what is tried again. */
  #startFailure(slot: Slot, exit: ChildExit): Failure | undefined {
    if (this.#fleet.isTrial && this.#phase === 'preparing') return trialFailure(slot, exit);
    return servesRequests(slot.kind) ? startFailure(slot, exit) : undefined;
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
    this.#mayBeRunning();
    slot.timer = setTimeout(() => {
      this.#spawn(slot);
    }, wait);
  }

  #spawn(slot: Slot): void {
    slot.timer = undefined;
    const { kind, worker } = slot;
    const { programs, options, consoleConfig, deploy } = this.#fleet;
    const own = kind === 'console' ? { consoleConfig } : kind === 'deploy' ? { deploy } : {};
    const credentials = this.#credentials.for(kind);
    const init = { type: 'init', worker, options, credentials, ...own } as const;
    slot.child = new Child(programs[kind], init, this);
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
    if (this.children().length === 0) this.#empty.fire();
    return this.#empty.fired;
  }

  #clearTimers(): void {
    for (const slot of this.slots) clearTimeout(slot.timer);
  }
}

/** Handles the end of a child on trial: no request depends on it yet. */
function trialFailure(slot: Slot, { cause, detail, failure }: ChildExit): Failure {
  if (failure !== undefined) return new Failure(REASON_OF_START[failure.kind], failure.message);
  const how = cause === 'start_timeout' ? 'was not prepared in time' : `ended with ${detail}`;
  return new Failure('internal', `${nameOf(slot)} of the new configuration ${how}`);
}

function servesRequests(kind: ChildKind): boolean {
  return CHILD_KINDS[kind].servesRequests;
}

/**
 * The first start of the service tells what is wrong with it, rather than trying the same again;
 * what a signal ended may have been the kernel's choice, and is tried again.
 */
function startFailure(slot: Slot, { cause, detail, failure }: ChildExit): Failure | undefined {
  if (failure !== undefined) return new Failure(REASON_OF_START[failure.kind], failure.message);
  if (cause !== 'exit' || slot.restarts > 0) return undefined;
  return new Failure(
    'internal',
    `${nameOf(slot)} ended with ${detail} before it was ready; see its lines above`,
  );
}
