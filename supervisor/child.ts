import { fork, type ChildProcess } from 'node:child_process';
import { ACCESS_KEY_VARIABLE, SECRET_KEY_VARIABLE } from '../src/config/credentials.js';
import type {
  ChildInit,
  FromChild,
  HealthCheck,
  StartFailure,
  ToChild,
} from '../src/process/protocol.js';
import type { MetricSnapshot } from '../src/telemetry/snapshot.js';

export type ChildState = 'starting' | 'up' | 'draining' | 'gone';

/** Why a child is no more. */
export type ExitCause =
  /** It was told to drain, and did. */
  | 'drained'
  /** It said that it cannot start. */
  | 'start_failed'
  | 'start_timeout'
  /** The supervisor killed it on purpose. */
  | 'killed'
  /** By itself, with an exit code. */
  | 'exit'
  /** By a signal that the supervisor did not send: a crash, or the kernel short of memory. */
  | 'signal';

export interface ChildExit {
  readonly cause: ExitCause;
  /** For the log, e.g. `signal SIGSEGV`. */
  readonly detail: string;
  /** What it said of a start that failed. */
  readonly failure?: { readonly kind: StartFailure; readonly message: string } | undefined;
}

export interface HealthReport {
  readonly checks: readonly HealthCheck[];
  /** `performance.now()` of its arrival. */
  readonly at: number;
}

/** For the environment of a child: the credential crosses over IPC. */
export const NO_CREDENTIAL = {
  [ACCESS_KEY_VARIABLE]: undefined,
  [SECRET_KEY_VARIABLE]: undefined,
} as const;

/** How to start a child process. */
export interface ChildProgram {
  /** Path of the JavaScript file. */
  readonly entry: string;
  /** Added to this process' environment; undefined removes. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Inherited, so that the data directory stays locked while any child lives. */
  readonly lockFd: number;
  readonly startTimeoutMs: number;
}

export interface ChildListener {
  onReady(child: Child): void;
  onDrainProgress(child: Child, requestsInProgress: number): void;
  /** Once, when the process has gone and its last message is read. */
  onExit(child: Child, exit: ChildExit): void;
}

interface PendingScrape {
  readonly promise: Promise<boolean>;
  readonly settle: (answered: boolean) => void;
}

/** One child process: its life, and the supervisor's side of the protocol. */
export class Child {
  readonly startedAt = new Date();
  state: ChildState = 'starting';
  /** The latest that is known, also when the child is silent or gone. */
  metrics: MetricSnapshot = [];
  health: HealthReport | undefined;

  readonly #process: ChildProcess;
  readonly #startTimer: NodeJS.Timeout;
  readonly #scrapes = new Map<number, PendingScrape>();
  #nextScrape = 1;
  #ending: ExitCause | undefined;
  #failure: ChildExit['failure'];

  constructor(
    program: ChildProgram,
    init: ChildInit,
    private readonly listener: ChildListener,
  ) {
    this.#process = fork(program.entry, [], {
      env: { ...process.env, ...program.environment },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', program.lockFd],
    });
    this.#startTimer = setTimeout(() => {
      this.#kill('start_timeout');
    }, program.startTimeoutMs);
    this.#process.on('message', (message) => {
      this.#receive(message as FromChild);
    });
    // `error` is a failed spawn or send; a child that cannot be spawned has no `exit`.
    this.#process.on('error', (error) => {
      if (this.#process.pid === undefined) this.#gone('exit', error.message);
    });
    // Not `exit`: only `close` comes after the last message.
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

  /** Tells the child to finish; one that is not up yet has nothing to finish. */
  drain(): void {
    if (this.state === 'up') {
      this.state = 'draining';
      this.#send({ type: 'drain' });
    } else if (this.state === 'starting') {
      this.kill();
    }
  }

  kill(): void {
    this.#kill('killed');
  }

  /**
   * Asks for fresh metrics, which are in `metrics` when it resolves with true.
   * @returns false when the child did not answer in time
   */
  async scrape(timeoutMs: number): Promise<boolean> {
    if (this.state === 'gone') return false;
    const id = this.#nextScrape++;
    let settle: (answered: boolean) => void = () => undefined;
    const promise = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    const timer = setTimeout(() => {
      settle(false);
    }, timeoutMs);
    this.#scrapes.set(id, { promise, settle });
    this.#send({ type: 'metrics', id });
    const answered = await promise;
    clearTimeout(timer);
    this.#scrapes.delete(id);
    return answered;
  }

  #receive(message: FromChild): void {
    switch (message.type) {
      case 'ready':
        clearTimeout(this.#startTimer);
        if (this.state !== 'starting') return;
        this.state = 'up';
        this.listener.onReady(this);
        return;
      case 'failed':
        this.#ending ??= 'start_failed';
        this.#failure = { kind: message.failure, message: message.message };
        return;
      case 'report':
        this.metrics = message.metrics;
        this.health = { checks: message.checks, at: performance.now() };
        return;
      case 'metrics':
        this.metrics = message.metrics;
        this.#scrapes.get(message.id)?.settle(true);
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
    clearTimeout(this.#startTimer);
    for (const { settle } of this.#scrapes.values()) settle(false);
    this.listener.onExit(this, { cause: this.#ending ?? cause, detail, failure: this.#failure });
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
