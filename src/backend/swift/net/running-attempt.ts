import type { AbortListener, Cancellation } from '../../../lib/cancellation.js';
import type { Answer } from './answer.js';
import type { AttemptError } from './retry-policy.js';
import type { Outgoing } from './sender.js';
import { Upload } from './upload.js';

/** The time that the filter gives a write, instead of that of its arrival. */
const PLACE_AMONG_WRITES = 'x-gateway-not-newer';

/** So long without any answer to what it was asked, an endpoint counts as standing still. */
const STANDS_STILL_MS = 500;

/**
 * An attempt under way. It can be ended by the request's caller, and by who finds that another
 * endpoint is the one to wait for. It hands the call's listener on to the caller's own
 * cancellation, and so costs no listener more.
 */
export class RunningAttempt implements Cancellation {
  /** The outcome; `Attempts.begin` sets it. */
  ended!: Promise<Answer | AttemptError>;
  /** Why it was taken back, to be sent elsewhere. */
  takenBack: Error | undefined;
  #listener: AbortListener | undefined;
  #givenUp: { readonly reason: unknown } | undefined;
  #controller: AbortController | undefined;

  constructor(private readonly outgoing: Outgoing) {}

  /** A stream that has begun is as slow as its writer: that it is not answered means nothing. */
  get isWaiting(): boolean {
    const { body } = this.outgoing;
    return !(body instanceof Upload);
  }

  /**
   * Whether it may be ended and sent to another endpoint, though this one may still act on it. A
   * hung server, such as a virtual machine that is being moved, goes on with the requests sent to
   * it when it wakes up, whether or not the connection is still there: a late write of it would
   * replace what was written since. One that has a place among the writes of its object cannot.
   */
  get isMovable(): boolean {
    const { body, probe } = this.outgoing;
    if (probe === true) return false;
    return body instanceof Upload ? !body.begun : this.#isHarmlessLate();
  }

  #isHarmlessLate(): boolean {
    const { method, headers, repeatable } = this.outgoing;
    if (method === 'GET' || method === 'HEAD') return repeatable;
    return repeatable && headers.includes(PLACE_AMONG_WRITES);
  }

  get aborted(): boolean {
    return this.#givenUp !== undefined || this.#caller?.aborted === true;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#givenUp !== undefined) this.#controller.abort(this.#givenUp.reason);
    }
    const { signal } = this.#controller;
    const caller = this.#caller?.signal;
    return caller === undefined ? signal : AbortSignal.any([caller, signal]);
  }

  addAbortListener(listener: AbortListener): void {
    if (this.#givenUp !== undefined) {
      listener.aborted(this.#givenUp.reason);
      return;
    }
    this.#listener = listener;
    this.#caller?.addAbortListener(listener);
  }

  removeAbortListener(listener: AbortListener): void {
    this.#listener = undefined;
    this.#caller?.removeAbortListener(listener);
  }

  /** Ends it for its endpoint's sake, so that the request is sent to another one. */
  takeBack(reason: Error): void {
    this.takenBack = reason;
    this.giveUp(reason);
  }

  /** Ends it: its answer is not needed. */
  giveUp(reason: unknown): void {
    if (this.#givenUp !== undefined) return;
    this.#givenUp = { reason };
    const listener = this.#listener;
    if (listener !== undefined) {
      this.removeAbortListener(listener);
      listener.aborted(reason);
    }
    this.#controller?.abort(reason);
  }

  get #caller(): Cancellation | undefined {
    return this.outgoing.context.cancellation;
  }
}

/** An attempt as its endpoint's list knows it. */
export type ListedAttempt = Pick<RunningAttempt, 'isWaiting' | 'isMovable' | 'takeBack'>;

/** The attempts of one endpoint that it has not answered. All times by a clock that never jumps. */
export class RunningAttempts {
  readonly #attempts = new Set<ListedAttempt>();
  /** Those that an answer is due to. */
  #waiting = 0;
  /** Since when something is due, or was until its caller gave it up. */
  #dueSince: number | undefined;
  #heardAt = -Infinity;

  /** When the endpoint last answered anything. */
  get heardAt(): number {
    return this.#heardAt;
  }

  begin(attempt: ListedAttempt, now: number): void {
    this.#attempts.add(attempt);
    if (!attempt.isWaiting) return;
    this.#waiting += 1;
    this.#dueSince ??= now;
  }

  end(attempt: ListedAttempt): void {
    this.#attempts.delete(attempt);
    if (attempt.isWaiting) this.#waiting -= 1;
  }

  /** It has answered something. */
  heard(now: number): void {
    this.#heardAt = now;
    this.#dueSince = this.#waiting > 0 ? now : undefined;
  }

  /**
   * Whether something was asked a while ago, and nothing was heard since. That who asked did not wait
   * for it, as with reads that another endpoint answered, changes nothing.
   */
  standStill(now: number): boolean {
    return this.#dueSince !== undefined && now - this.#dueSince > STANDS_STILL_MS;
  }

  /** Ends those that may be sent elsewhere. @returns how many */
  takeBack(reason: Error): number {
    const movable = [...this.#attempts].filter((attempt) => attempt.isMovable);
    for (const attempt of movable) attempt.takeBack(reason);
    return movable.length;
  }
}
