import { within } from '../../../lib/promises.js';
import type { Answer } from './answer.js';
import type { Attempts } from './attempts.js';
import type { Endpoint } from './endpoint.js';
import type { Endpoints } from './endpoints.js';
import { LatencyWindow } from './latency-window.js';
import type { FilledOptions } from './options.js';
import { AttemptError, isBusy, RequestBudget } from './retry-policy.js';
import type { RunningAttempt } from './running-attempt.js';
import type { Outgoing } from './sender.js';
import type { Token } from './tokens.js';

/** The delay is what so many of the last reads took at most. */
const DELAY_QUANTILE = 0.95;
/** Until so many reads were answered, the delay is a guess. */
const READS_MIN = 20;
const DELAY_MS_AT_FIRST = 1_000;
/** Less would hedge what a busy machine delays anyway. */
const DELAY_MS_MIN = 20;
/** Hedges that may be sent at once after a quiet time. */
const SAVED_MAX = 20;

/** The outcome of an attempt, and its endpoint. */
export interface Tried {
  readonly endpoint: Endpoint;
  readonly outcome: Answer | AttemptError;
}

/**
 * Sends a read to a second endpoint as well when the first takes longer than nearly all reads of
 * late, and takes the first answer: a hung or slow proxy then costs a read that delay and no more.
 * The share of reads that are sent twice is bounded, so that a cluster which is slow everywhere gets
 * hardly more to do.
 */
export class Hedging {
  readonly #reads = new LatencyWindow();
  readonly #budget: RequestBudget;

  constructor(
    private readonly endpoints: Endpoints<Endpoint>,
    private readonly attempts: Attempts,
    private readonly options: Pick<FilledOptions, 'hedgeShare' | 'onHedge'>,
  ) {
    this.#budget = new RequestBudget(options.hedgeShare, SAVED_MAX);
  }

  /** Whether a request may be sent twice: a GET or a HEAD, where there is a second endpoint. */
  covers({ method, body }: Outgoing): boolean {
    const { hedgeShare } = this.options;
    if (hedgeShare === 0 || this.endpoints.all.length < 2 || body !== undefined) return false;
    return method === 'GET' || method === 'HEAD';
  }

  /** Milliseconds after which a second endpoint is asked. */
  get delayMs(): number {
    const usual = this.#reads.count < READS_MIN ? undefined : this.#reads.quantile(DELAY_QUANTILE);
    return Math.max(DELAY_MS_MIN, Math.ceil(usual ?? DELAY_MS_AT_FIRST));
  }

  /**
   * @param endpoint acquired
   * @param failed endpoints that are not asked as second ones; the one that fails first is added
   */
  async send(
    endpoint: Endpoint,
    outgoing: Outgoing,
    token: Token | undefined,
    failed: Endpoint[],
  ): Promise<Tried> {
    const began = performance.now();
    this.#budget.earn();
    const attempt = this.attempts.begin(endpoint, outgoing, token, false);
    const tried = await this.#first({ endpoint, attempt }, outgoing, token, failed);
    // One that was given up took at least so long.
    this.#reads.add(performance.now() - began);
    return tried;
  }

  async #first(
    first: Sent,
    outgoing: Outgoing,
    token: Token | undefined,
    failed: Endpoint[],
  ): Promise<Tried> {
    const { endpoint, attempt } = first;
    const soon = await within(attempt.ended, this.delayMs);
    if (soon !== undefined) return { endpoint, outcome: soon };
    const other = this.endpoints.acquireOther([...failed, endpoint], () => this.#budget.take());
    if (other === undefined) return { endpoint, outcome: await attempt.ended };
    const hedge = this.attempts.begin(other, outgoing, token, false);
    const tried = await this.#race([first, { endpoint: other, attempt: hedge }], failed);
    this.options.onHedge?.(tried.endpoint === other);
    return tried;
  }

  /** The outcome of the first that is answered, or else of the last. */
  async #race(sent: readonly [Sent, Sent], failed: Endpoint[]): Promise<Tried> {
    const [one, other] = sent;
    const isOne = await Promise.race([
      one.attempt.ended.then(() => true),
      other.attempt.ended.then(() => false),
    ]);
    const [winner, loser] = isOne ? [one, other] : [other, one];
    const outcome = await winner.attempt.ended;
    if (isFinal(outcome)) {
      letGo(loser.attempt);
      return { endpoint: winner.endpoint, outcome };
    }
    if (!(outcome instanceof AttemptError)) outcome.cancel();
    failed.push(winner.endpoint);
    return { endpoint: loser.endpoint, outcome: await loser.attempt.ended };
  }
}

interface Sent {
  readonly endpoint: Endpoint;
  readonly attempt: RunningAttempt;
}

/** Whether another attempt would not do better. */
function isFinal(outcome: Answer | AttemptError): boolean {
  return outcome instanceof AttemptError ? outcome.stage === 'given_up' : !isBusy(outcome.status);
}

function letGo(attempt: RunningAttempt): void {
  attempt.giveUp(new Error('another proxy answered first'));
  attempt.ended.then(
    (outcome) => {
      // It was answered in the same moment.
      if (!(outcome instanceof AttemptError)) outcome.cancel();
    },
    () => undefined,
  );
}
