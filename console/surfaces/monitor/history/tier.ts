/** How finely something is kept, and for how long. */
export interface Resolution {
  readonly stepS: number;
  readonly slots: number;
}

/** 10 s for an hour, 1 min for a day, 10 min for two weeks: 30 KB a series. */
export const RESOLUTIONS: readonly Resolution[] = [
  { stepS: 10, slots: 360 },
  { stepS: 60, slots: 1440 },
  { stepS: 600, slots: 2016 },
];

export function spanS({ stepS, slots }: Resolution): number {
  return stepS * slots;
}

/**
 * A ring of means, a slot for each step of time; NaN where there is nothing. Times only go forward:
 * what is older than the latest slot is dropped.
 */
export class Tier {
  readonly values: Float64Array;
  /** Number of the step that was written last, since 1970; -1 before. */
  latest = -1;
  /** How many values the latest slot is the mean of. */
  #count = 0;

  constructor(readonly resolution: Resolution) {
    this.values = new Float64Array(resolution.slots).fill(NaN);
  }

  add(unixS: number, value: number): void {
    const { stepS, slots } = this.resolution;
    const step = Math.floor(unixS / stepS);
    if (step < this.latest) return;
    if (step > this.latest) {
      const skipped = Math.min(step - this.latest, slots);
      for (let back = 0; back < skipped; back++) this.values[(step - back) % slots] = NaN;
      this.latest = step;
      this.#count = 0;
    }
    const slot = step % slots;
    this.#count += 1;
    const mean = this.#count === 1 ? 0 : (this.values[slot] ?? 0);
    this.values[slot] = mean + (value - mean) / this.#count;
  }

  /** Slots of which some part lies from `fromS` to before `toS`, oldest first: start and mean. */
  *between(fromS: number, toS: number): Generator<readonly [unixS: number, value: number]> {
    const { stepS, slots } = this.resolution;
    const first = Math.max(Math.floor(fromS / stepS), this.latest - slots + 1, 0);
    for (let step = first; step <= this.latest && step * stepS < toS; step++) {
      const value = this.values[step % slots] ?? NaN;
      if (!Number.isNaN(value)) yield [step * stepS, value];
    }
  }

  /** When the oldest slot begins that this tier still has, in unix seconds. */
  get oldestS(): number {
    const { stepS, slots } = this.resolution;
    return Math.max(this.latest - slots + 1, 0) * stepS;
  }

  /** Takes over what was kept in a file. */
  restore(latest: number, values: Float64Array): void {
    this.latest = latest;
    // The next value of the same step would be a mean with an unknown weight: 1 is near enough.
    this.#count = 1;
    this.values.set(values);
  }
}
