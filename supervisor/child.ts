import { fork, type ChildProcess } from 'node:child_process';
import {
  ACCESS_KEY_VARIABLE,
  SECRET_KEY_VARIABLE,
  type Roster,
} from '../src/config/credentials.js';
import type {
  ChildInit,
  FromChild,
  HealthCheck,
  LoginOffer,
  StartFailure,
  ToChild,
} from '../src/processes/protocol.js';
import type { MetricSnapshot } from '../src/telemetry/collected.js';
import type { TraceOrder } from '../src/telemetry/request-trace.js';
import { processLog } from './log-tail.js';
import { processTraces, type TraceTarget } from './request-traces.js';
import { Signal } from './signal.js';

export type ChildState = 'starting' | 'prepared' | 'up' | 'draining' | 'gone';

/** Why a child is no more. */
export type ExitCause =
  /** It was told to drain, and did. */
  | 'drained'
  /** It said that it cannot start. */
  | 'start_failed'
  | 'start_timeout'
  /** The supervisor killed it on purpose. */
  | 'killed'
  /** It ended by itself, with an exit code. */
  | 'exit'
  /**
   * It ended by a signal that the supervisor did not send: a crash, or the kernel short of memory.
   */
  | 'signal';

export interface ChildExit {
  readonly cause: ExitCause;
  /** Details for the log, e.g. `signal SIGSEGV`. */
  readonly detail: string;
  /** The failure that it reported of its start. */
  readonly failure?: { readonly kind: StartFailure; readonly message: string } | undefined;
}

export interface HealthReport {
  readonly checks: readonly HealthCheck[];
  /** `performance.now()` of its arrival. */
  readonly at: number;
}

/** The environment of a child has no credential: that crosses over IPC. */
export const NO_CREDENTIAL = {
  [ACCESS_KEY_VARIABLE]: undefined,
  [SECRET_KEY_VARIABLE]: undefined,
} as const;

/** How to start a child process. */
export interface ChildProgram {
  /** Which kind of process it is, for what it writes that is no log line. */
  readonly name: string;
  /** Path of the JavaScript file. */
  readonly entry: string;
  /** Added to this process' environment; undefined removes. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Node's flags for the child, placed before those that this process was started with: the last
   * one wins.
   */
  readonly nodeFlags: readonly string[];
  /** Inherited, so that the data directory stays locked while any child lives. */
  readonly lockFd: number;
  readonly startTimeoutMs: number;
}

export interface ChildListener {
  /** It waits for `begin`. */
  onPrepared(child: Child): void;
  onReady(child: Child): void;
  /** News of its health. */
  onReport(child: Child): void;
  onDrainProgress(child: Child, requestsInProgress: number): void;
  /** Once, when the process has gone and its last message is read. */
  onExit(child: Child, exit: ChildExit): void;
}

/** One child process: its life, and the supervisor's side of the protocol. */
export class Child implements TraceTarget {
  readonly startedAt = new Date();
  state: ChildState = 'starting';
  /** The latest that is known, also when the child is silent or gone. */
  metrics: MetricSnapshot = [];
  health: HealthReport | undefined;

  readonly #process: ChildProcess;
  #startTimer: NodeJS.Timeout;
  /** The listeners alone are numbered. */
  readonly #isListener: boolean;
  readonly #startTimeoutMs: number;
  /** Whether it stands aside without a loss. */
  #aside = new Signal<boolean>();
  /** Whether each scrape was answered. */
  readonly #scrapes = new Map<number, Signal<boolean>>();
  #nextScrape = 1;
  #credentials: Roster;
  /** Waits until the console is up. */
  #loginOffer: LoginOffer | undefined;
  #ending: ExitCause | undefined;
  #failure: ChildExit['failure'];

  constructor(
    program: ChildProgram,
    init: ChildInit,
    private readonly listener: ChildListener,
  ) {
    this.#credentials = init.credentials;
    this.#process = fork(program.entry, [], {
      env: { ...process.env, ...program.environment },
      execArgv: [...program.nodeFlags, ...process.execArgv],
      stdio: ['ignore', 'inherit', 'pipe', 'ipc', program.lockFd],
    });
    if (this.#process.stderr !== null) processLog.follow(this.#process.stderr, program.name);
    this.#isListener = init.worker > 0;
    this.#startTimeoutMs = program.startTimeoutMs;
    this.#startTimer = this.#limitStart();
    this.#process.on('message', (message) => {
      this.#receive(message as FromChild);
    });
    // `error` is a failed spawn or send; a child that cannot be spawned has no `exit`.
    this.#process.on('error', (error) => {
      if (this.#process.pid === undefined) this.#gone('exit', error.message);
    });
    // `close`, not `exit`: only `close` comes after the last message.
    this.#process.on('close', (code, signal) => {
      if (signal === null) this.#gone('exit', `exit code ${code ?? 0}`);
      else this.#gone('signal', `signal ${signal}`);
    });
    this.#send(init);
  }

  /** Undefined when the process could not be spawned. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Tells the child that the files of its logs were renamed. */
  reopenLogs(): void {
    this.#send({ type: 'reopen-logs' });
  }

  /** Tells the console of a login by link, as soon as it is up. */
  offerLogin(offer: LoginOffer): void {
    if (this.state === 'up') this.#send({ type: 'login-offer', offer });
    else this.#loginOffer = offer;
  }

  /** Asks the child for requests as they end. */
  trace(order: TraceOrder): void {
    this.#send({ type: 'trace', order });
  }

  /** Tells the child that a drain is near. */
  leave(): void {
    if (this.state === 'up') this.#send({ type: 'leave' });
  }

  /** Lets a prepared child take up its work. */
  begin(): void {
    if (this.state !== 'prepared') return;
    this.#startTimer = this.#limitStart();
    this.#send({ type: 'begin' });
  }

  /**
   * Tells the child that others are about to listen in its place.
   * @returns whether no connection will be lost on the way, as far as it can tell
   */
  async standAside(timeoutMs: number): Promise<boolean> {
    if (this.state !== 'up') return true;
    this.#aside = new Signal();
    this.#send({ type: 'aside' });
    return inTime(this.#aside, timeoutMs);
  }

  /** Tells the child to serve on: no other one listens in its place. */
  resume(): void {
    if (this.state === 'up') this.#send({ type: 'resume' });
  }

  /**
   * Tells the child to finish; one that is not up yet has nothing to finish.
   * @param handedOver - others listen in its place
   */
  drain(handedOver: boolean): void {
    if (this.state === 'up') {
      this.state = 'draining';
      this.#send({ type: 'drain', handedOver });
    } else if (this.state === 'starting' || this.state === 'prepared') {
      this.kill();
    }
  }

  /** Shortens the drain of a child: nothing serves in its place any more. */
  hurry(): void {
    if (this.state === 'draining') this.#send({ type: 'drain', handedOver: false });
  }

  kill(): void {
    this.#kill('killed');
  }

  /** Sends credentials to a child that is up; a starting one gets them with its start. */
  giveCredentials(credentials: Roster): void {
    if (this.state !== 'up' || credentials === this.#credentials) return;
    this.#credentials = credentials;
    this.#send({ type: 'credentials', credentials });
  }

  /**
   * Asks for fresh metrics, which are in `metrics` when it resolves with true.
   * @returns false when the child did not answer in time
   */
  async scrape(timeoutMs: number): Promise<boolean> {
    if (this.state === 'gone') return false;
    const id = this.#nextScrape++;
    const answer = new Signal<boolean>();
    this.#scrapes.set(id, answer);
    this.#send({ type: 'metrics', id });
    const isAnswered = await inTime(answer, timeoutMs);
    this.#scrapes.delete(id);
    return isAnswered;
  }

  #receive(message: FromChild): void {
    switch (message.type) {
      case 'prepared':
        clearTimeout(this.#startTimer);
        if (this.state !== 'starting') return;
        this.state = 'prepared';
        this.listener.onPrepared(this);
        return;
      case 'ready':
        clearTimeout(this.#startTimer);
        if (this.state !== 'prepared') return;
        this.state = 'up';
        if (this.#isListener) processTraces.join(this);
        if (this.#loginOffer !== undefined) this.offerLogin(this.#loginOffer);
        this.listener.onReady(this);
        return;
      case 'failed':
        this.#ending ??= 'start_failed';
        this.#failure = { kind: message.failure, message: message.message };
        return;
      case 'report':
        this.metrics = message.metrics;
        this.health = { checks: message.checks, at: performance.now() };
        this.listener.onReport(this);
        return;
      case 'aside':
        this.#aside.fire(message.lossless);
        return;
      case 'metrics':
        this.metrics = message.metrics;
        this.#scrapes.get(message.id)?.fire(true);
        return;
      case 'traced':
        processTraces.add(message.batches);
        return;
      case 'draining':
        this.listener.onDrainProgress(this, message.requestsInProgress);
        return;
      case 'drained':
        this.metrics = message.metrics;
        this.#ending ??= 'drained';
        return;
    }
  }

  #gone(cause: ExitCause, detail: string): void {
    if (this.state === 'gone') return;
    this.state = 'gone';
    processTraces.leave(this);
    clearTimeout(this.#startTimer);
    for (const answer of this.#scrapes.values()) answer.fire(false);
    this.#aside.fire(true);
    this.listener.onExit(this, { cause: this.#ending ?? cause, detail, failure: this.#failure });
  }

  #limitStart(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#kill('start_timeout');
    }, this.#startTimeoutMs);
  }

  #kill(cause: ExitCause): void {
    this.#ending ??= cause;
    this.#process.kill('SIGKILL');
  }

  /** A channel that closed is no error here: the process is gone or going, and `close` says so. */
  #send(message: ToChild): void {
    if (this.#process.connected) this.#process.send(message, () => undefined);
  }
}

/** @returns false without an answer in time */
async function inTime(answer: Signal<boolean>, timeoutMs: number): Promise<boolean> {
  const timer = setTimeout(() => {
    answer.fire(false);
  }, timeoutMs);
  const answered = await answer.fired;
  clearTimeout(timer);
  return answered;
}
