import { setTimeout as sleep } from 'node:timers/promises';
import { abortable } from '../../../lib/cancellation.js';
import type { CallContext } from '../../backend.js';
import { throwIfAborted } from '../../call-context.js';
import { BackendError } from '../../errors.js';
import type { SwiftMethod } from '../transport.js';
import type { Answer } from './answer.js';
import type { Attempts } from './attempts.js';
import type { Endpoint } from './endpoint.js';
import type { Endpoints } from './endpoints.js';
import type { FilledOptions, RetryReason } from './options.js';
import { Hedging, type Tried } from './hedging.js';
import { AttemptError, pauseMs, RetryBudget, retryReason } from './retry-policy.js';
import type { Token } from './tokens.js';
import { Upload } from './upload.js';

/** A request as it goes to whichever endpoint, without its token. */
export interface Outgoing {
  readonly context: CallContext;
  readonly method: SwiftMethod;
  /** Raw, with the query. */
  readonly path: string;
  /** Name, value, name, value; values as wire text. */
  readonly headers: readonly string[];
  readonly body?: Buffer | Upload | undefined;
  /** Acting on it twice is the same as once. */
  readonly repeatable: boolean;
  /** Whether to sign the request for the filter. */
  readonly signed: boolean;
  /** Instead of the configured one. */
  readonly headersTimeoutMs?: number | undefined;
  /** It is asked to know how the endpoint is: who asks judges, and no answer of it clears it. */
  readonly probe?: boolean | undefined;
  /** Undefined for what needs no token. */
  readonly authority?: Authority | undefined;
}

/** The source of the token that a request carries. */
export interface Authority {
  /** Undefined where the signature suffices. */
  token(): Token | undefined | Promise<Token>;
  /** The token, or that there was none, was answered 401. */
  refused(token: Token | undefined): void;
}

/** The course of the attempts so far. */
interface Course {
  readonly upload: Upload | undefined;
  readonly failed: Endpoint[];
  refusals: number;
  timeouts: number;
}

const ATTEMPTS_MIN = 3;
/**
 * After a restart of memcached a proxy knows no token until it asks memcached again: each worker
 * fails at least once, or for as long as it considers memcached down. With the pauses in between,
 * this takes two to three seconds.
 */
const REFUSALS_MAX = 8;

/** Sends requests: chooses endpoints, and tries again where that is safe. */
export class Sender {
  readonly #budget = new RetryBudget();
  readonly #attemptsMax: number;
  readonly #hedging: Hedging;
  #closed = false;

  constructor(
    private readonly endpoints: Endpoints<Endpoint>,
    private readonly attempts: Attempts,
    private readonly options: FilledOptions,
  ) {
    this.#hedging = new Hedging(endpoints, attempts, options);
    // One that is down is found out by asking it; all others are asked after it.
    this.#attemptsMax = Math.max(ATTEMPTS_MIN, endpoints.all.length + 1);
  }

  /**
   * @throws BackendError Unavailable, Timeout; what the body's source throws; the abort reason of
   *   the context's signal
   */
  async send(outgoing: Outgoing): Promise<Answer> {
    const { context, authority, body } = outgoing;
    const upload = body instanceof Upload ? body : undefined;
    const course: Course = { upload, failed: [], refusals: 0, timeouts: 0 };
    this.#budget.earn();
    for (;;) {
      throwIfAborted(context);
      if (this.#closed) throw new BackendError('Unavailable', 'the Swift transport is closed');
      const given = authority?.token();
      const token =
        given instanceof Promise ? await abortable(given, context.cancellation?.signal) : given;
      const acquired = this.endpoints.acquire(course.failed, context);
      const chosen = acquired instanceof Promise ? await acquired : acquired;
      const { endpoint, outcome } = await this.#try(chosen, outgoing, token, course);
      const reason = this.#again(outcome, outgoing, course, endpoint, token);
      if (reason === undefined) return settled(outcome);
      if (!(outcome instanceof AttemptError)) outcome.cancel();
      this.options.onRetry?.(reason);
      const ms = this.#pause(reason, course);
      if (ms > 0) await abortable(sleep(ms), context.cancellation?.signal);
    }
  }

  /** No request begins an attempt any more. */
  close(): void {
    this.#closed = true;
  }

  async #try(
    endpoint: Endpoint,
    outgoing: Outgoing,
    token: Token | undefined,
    course: Course,
  ): Promise<Tried> {
    if (this.#hedging.covers(outgoing)) {
      return this.#hedging.send(endpoint, outgoing, token, course.failed);
    }
    const insist = !this.#mayFailOver(course, endpoint);
    const attempt = this.attempts.begin(endpoint, outgoing, token, insist);
    return { endpoint, outcome: await attempt.ended };
  }

  /** Why it is tried again; undefined when it is not. */
  #again(
    outcome: Answer | AttemptError,
    outgoing: Outgoing,
    course: Course,
    endpoint: Endpoint,
    token: Token | undefined,
  ): RetryReason | undefined {
    if (outgoing.authority !== undefined && !(outcome instanceof AttemptError)) {
      if (outcome.status === 401) return this.#refused(outgoing, course, token);
      if (token !== undefined) token.proven = true;
    }
    const reason = retryReason(outcome, { upload: course.upload, repeatable: outgoing.repeatable });
    if (reason === undefined) return undefined;
    const mayFailOver = this.#mayFailOver(course, endpoint);
    course.failed.push(endpoint);
    if (course.failed.length >= this.#attemptsMax) return undefined;
    // It has taken long enough already: once more, and only where there is hope.
    if (reason === 'timeout' && (!mayFailOver || ++course.timeouts > 1)) return undefined;
    return this.#budget.spend(reason) ? reason : undefined;
  }

  #refused(outgoing: Outgoing, course: Course, token: Token | undefined): RetryReason | undefined {
    outgoing.authority?.refused(token);
    course.refusals += 1;
    if (course.refusals >= REFUSALS_MAX || course.upload?.begun === true) return undefined;
    return 'token';
  }

  #mayFailOver({ failed }: Course, endpoint: Endpoint): boolean {
    if (failed.length + 1 >= this.#attemptsMax) return false;
    return this.endpoints.hasOther(endpoint, failed);
  }

  #pause(reason: RetryReason, { refusals, failed }: Course): number {
    // The first time the token was old, and a new one is got; from then on Swift does not know it yet.
    if (reason === 'token') return refusals === 1 ? 0 : pauseMs(refusals - 2);
    const elsewhere = reason !== 'status' && this.endpoints.hasOther(undefined, failed);
    return elsewhere ? 0 : pauseMs(failed.length - 1);
  }
}

function settled(outcome: Answer | AttemptError): Answer {
  if (outcome instanceof AttemptError) throw outcome.toThrow();
  return outcome;
}
