import type { Generators } from '../load/generators.js';
import { merge, percentilesOf } from '../load/latency.js';
import type { TargetSettings } from '../load/protocol.js';
import type { RowResult } from '../output/results.js';
import type { Row } from '../rows/row.js';
import type { Target } from '../targets/target.js';
import { measureSlice, type MeasuredSlice } from './slice.js';

/** A target with what generators are told of it. */
export interface Runner {
  readonly target: Target;
  readonly settings: TargetSettings;
}

/** Warm-up slices are no longer than this, and so many at most. */
const WARM_UP_SECONDS_MAX = 1;
const WARM_UPS_MAX = 8;

/**
 * Warm is a server that has worked for so long, which on a busy machine takes longer, and was not
 * this much faster in the last warm-up than in the one before. GET of 1 KiB cost 420 µs in the
 * first second of a service, and 60 µs from 15,000 operations on. Short slices ask for less.
 */
const WARM_CPU_MS_MAX = 1000;
const WARM_CPU_SHARE = 2;
const WARM_GAIN = 1.1;

/** Operations are prepared for a slice that is so much faster than the last one. */
const RATE_MARGIN = 1.3;

const PROBLEMS_SHOWN = 5;

/** One row at one concurrency on one target: its slices, one after the other. */
export class RowRun {
  readonly #slices: MeasuredSlice[] = [];
  readonly #problems: string[] = [];
  #errors = 0;
  #prepared = 0;
  #opsPerS = 0;

  constructor(
    readonly row: Row,
    readonly concurrency: number,
    readonly runner: Runner,
    private readonly generators: Generators,
  ) {}

  /** Whether a slice could not even begin: there is no sense in another. */
  get hasFailed(): boolean {
    return this.#errors > 0 && this.#slices.length === 0;
  }

  /** @param secondsMin at least so long, for a server that takes longer than the rule finds */
  async warmUp(seconds: number, secondsMin = 0): Promise<void> {
    const wantedMs = Math.min(WARM_CPU_MS_MAX, seconds * 1000 * WARM_CPU_SHARE);
    const until = performance.now() + secondsMin * 1000;
    let cpuMs = 0;
    for (let i = 0; i < WARM_UPS_MAX || performance.now() < until; i++) {
      const before = this.#opsPerS;
      const measured = await this.#run(Math.min(seconds, WARM_UP_SECONDS_MAX));
      if (measured === undefined) return;
      const { cpuMicrosPerOp, operations } = measured.result;
      // If the server's CPU is unknown, the rate alone decides.
      cpuMs += cpuMicrosPerOp === undefined ? wantedMs : (cpuMicrosPerOp * operations) / 1000;
      if (performance.now() < until) continue;
      if (cpuMs >= wantedMs && this.#opsPerS < before * WARM_GAIN) return;
    }
  }

  async slice(seconds: number): Promise<void> {
    const measured = await this.#run(seconds);
    if (measured !== undefined) this.#slices.push(measured);
  }

  /**
   * A slice that is in no figure; its errors count.
   * @returns CPU that the target took for it
   */
  async uncounted(seconds: number): Promise<number> {
    const { cpuMicrosPerOp = 0, operations = 0 } = (await this.#run(seconds))?.result ?? {};
    return (cpuMicrosPerOp * operations) / 1000;
  }

  /** A failure of the task is an error of the row. @returns undefined then */
  async guard<T>(task: () => Promise<T>): Promise<T | undefined> {
    try {
      return await task();
    } catch (error) {
      this.#errors++;
      this.#problems.push((error as Error).message);
      return undefined;
    }
  }

  result(): RowResult {
    const { row, concurrency, runner } = this;
    const latencies = this.#slices.flatMap((slice) => slice.latencies);
    return {
      ...{ row: row.name, title: row.title, concurrency, bytes: row.bytes },
      target: runner.target.name,
      slices: this.#slices.map((slice) => slice.result),
      ...(latencies.length === 0 ? {} : { latencyMs: percentilesOf(merge(latencies)) }),
      errors: this.#errors,
      problems: this.#problems.slice(0, PROBLEMS_SHOWN),
    };
  }

  #run(seconds: number): Promise<MeasuredSlice | undefined> {
    const { row, concurrency, runner, generators } = this;
    return this.guard(async () => {
      await generators.prepare(runner.settings, {
        row: row.name,
        slice: this.#prepared++,
        concurrency,
        operations: this.#operations(seconds),
      });
      const measured = await measureSlice(generators, runner.target, seconds);
      this.#opsPerS = measured.result.opsPerS;
      this.#errors += measured.result.errors;
      this.#problems.push(...measured.problems);
      return measured;
    });
  }

  #operations(seconds: number): number {
    const { prepared } = this.row;
    if (prepared === undefined) return 1;
    const wanted = Math.ceil(this.#opsPerS * seconds * RATE_MARGIN);
    return Math.min(prepared.max, Math.max(prepared.first, wanted));
  }
}
