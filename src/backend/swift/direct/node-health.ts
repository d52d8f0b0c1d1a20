/** As many errors as Swift's `error_suppression_limit`, and its `error_suppression_interval`. */
const ERRORS_MAX = 10;
const ERRORS_WITHIN_MS = 60_000;
const LEFT_OUT_MS = 1_000;
const LEFT_OUT_MS_MAX = 60_000;

/** Faults of a storage server; labels of metrics. */
export type NodeError = 'connect' | 'reset' | 'timeout' | 'status' | 'full' | 'cut' | 'nonsense';

/** No other request will fare better: the server is left out at once. */
const GRAVE: ReadonlySet<NodeError> = new Set(['connect', 'timeout', 'full']);

/**
 * Whether a storage server is asked. One that hangs, is gone or has no disk is left out at once, one
 * with other errors after ten in a minute: for a second, then, as long as its trials fail, for twice
 * as long each time. A trial is a single request.
 */
export class NodeHealth {
  #errors = 0;
  #errorsSince = 0;
  #leftOutUntil = 0;
  #leftOutForMs = 0;
  #trialUntil = 0;

  /** @param trialMs how long a trial may take before there is another */
  constructor(private readonly trialMs: number) {}

  /** Whether a request may be sent now. If it is a trial, no other request may until it is over. */
  admits(now: number): boolean {
    if (this.#leftOutForMs === 0) return true;
    if (now < this.#leftOutUntil || now < this.#trialUntil) return false;
    this.#trialUntil = now + this.trialMs;
    return true;
  }

  answered(): void {
    this.#leftOutForMs = 0;
    this.#trialUntil = 0;
  }

  failed(error: NodeError, now: number): void {
    if (now - this.#errorsSince > ERRORS_WITHIN_MS) {
      this.#errors = 0;
      this.#errorsSince = now;
    }
    this.#errors += 1;
    const isTrial = this.#leftOutForMs > 0;
    if (isTrial && now < this.#leftOutUntil) return;
    if (!isTrial && !GRAVE.has(error) && this.#errors <= ERRORS_MAX) return;
    this.#leftOutForMs = Math.min(Math.max(LEFT_OUT_MS, this.#leftOutForMs * 2), LEFT_OUT_MS_MAX);
    this.#leftOutUntil = now + this.#leftOutForMs;
    this.#trialUntil = 0;
  }
}
