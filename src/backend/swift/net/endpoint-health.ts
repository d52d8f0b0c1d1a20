import { LatencyWindow } from './latency-window.js';

/** How failures in a row become ejections. All times by a clock that never jumps. */
export interface HealthOptions {
  readonly ejectAfter: number;
  readonly ejectMs: number;
  readonly ejectMsMax: number;
}

/**
 * Whether an endpoint is asked. A connection that failed, a time-out, and 502, 503 or 504 count
 * against it; an answer of any other kind clears it. One that was ejected comes back on trial: the
 * next failure ejects it again, for twice as long. One that was ejected because it is slow is not
 * cleared by its late answers.
 */
export class EndpointHealth {
  /** Milliseconds to the head of each read since the last comparison of endpoints. */
  readonly latencies = new LatencyWindow();
  #failures = 0;
  /** Ejections in a row, without an answer in between. */
  #ejections = 0;
  /** Ejections for slowness, without a comparison in between that it passed. */
  #slowEjections = 0;
  #ejectedAt: number | undefined;
  #ejectedForMs = 0;
  #isSlow = false;

  constructor(private readonly options: HealthOptions) {}

  get well(): boolean {
    return this.#ejectedAt === undefined;
  }

  /** When it was last given up on; undefined while it is well. */
  get ejectedAt(): number | undefined {
    return this.#ejectedAt;
  }

  /** How long the ejection lasts that has begun. */
  get ejectedForMs(): number {
    return this.#ejectedForMs;
  }

  /** @returns whether that was an ejection */
  failed(now: number): boolean {
    if (this.#ejectedAt !== undefined) {
      // It was asked since all others were ejected too: now another one is the oldest.
      this.#ejectedAt = now;
      return false;
    }
    this.#failures += 1;
    if (this.#failures < this.options.ejectAfter && this.#ejections === 0) return false;
    this.#eject(now);
    return true;
  }

  /** @returns whether it was ejected until now */
  answered(): boolean {
    if (this.#isSlow) return false;
    const back = this.#ejectedAt !== undefined;
    this.#failures = 0;
    this.#ejections = 0;
    this.#ejectedAt = undefined;
    return back;
  }

  /** A probe was answered: on trial from now on. */
  probed(): void {
    this.#ejectedAt = undefined;
    this.#isSlow = false;
  }

  /** A probe failed: out, and for longer if it was out already. */
  probeFailed(now: number): void {
    this.#isSlow = false;
    this.#eject(now);
  }

  /** It takes much longer than the others: out. */
  slow(now: number): void {
    const { ejectMs, ejectMsMax } = this.options;
    this.#ejectedForMs = Math.min(ejectMs * 2 ** this.#slowEjections, ejectMsMax);
    this.#slowEjections += 1;
    this.#ejectedAt = now;
    this.#isSlow = true;
  }

  /** It was compared with the others and is as fast. */
  keptUp(): void {
    this.#slowEjections = 0;
  }

  #eject(now: number): void {
    const { ejectMs, ejectMsMax } = this.options;
    this.#ejectedForMs = Math.min(ejectMs * 2 ** this.#ejections, ejectMsMax);
    this.#ejections += 1;
    this.#ejectedAt = now;
  }
}

/** Fewer reads are no measure. */
const COMPARED_READS_MIN = 16;
/** Slow is what takes both so many times as long as the fastest, and so much longer. */
const SLOW_FACTOR = 4;
const SLOW_MORE_MS = 250;

/**
 * Which of several have become slow, and which have kept up, by the medians of what each took.
 * @param latencies of each endpoint, in milliseconds
 * @returns for each: true when it is slow, false when it is not, undefined when that is not known
 */
export function slowOnes(latencies: readonly LatencyWindow[]): (boolean | undefined)[] {
  const medians = latencies.map((window) =>
    window.count < COMPARED_READS_MIN ? undefined : window.quantile(0.5),
  );
  const known = medians.filter((median) => median !== undefined);
  if (known.length < 2) return medians.map(() => undefined);
  const fastest = Math.min(...known);
  const limit = Math.max(fastest * SLOW_FACTOR, fastest + SLOW_MORE_MS);
  return medians.map((median) => (median === undefined ? undefined : median > limit));
}
