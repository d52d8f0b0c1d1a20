/**
 * Whether the clock of this node can be trusted to tell when a retention ends. `unchecked` when
 * `worm_clock_max_offset_ms` is 0: then it counts as healthy (SPEC.md 3.3).
 */
export type ClockState = 'healthy' | 'unhealthy' | 'unchecked';

export interface ClockHealth {
  /** Asked with every lock: it looks nothing up. An unknown state is unhealthy. */
  state(): ClockState;
  /** Why, for people: `within 3.2 ms by chrony`. */
  describe(): string;
  /** Stops looking. */
  close(): void;
}

/**
 * The offset of this node's clock as one source measured it: `offsetMs`, plus or minus
 * `uncertaintyMs`. The uncertainty is infinite when the clock should be synchronised and is not.
 */
export interface ClockReading {
  readonly offsetMs: number;
  /** Zero or more. */
  readonly uncertaintyMs: number;
}

/** A source of clock readings. */
export interface ClockSource {
  /** The name for logs, e.g. `chrony`. */
  readonly name: string;
  /** @throws Error when there is no answer, or none that can be read */
  read(): Promise<ClockReading>;
}

/** The answer of a source that knows that nothing keeps this clock right. */
export const UNSYNCHRONISED: ClockReading = {
  offsetMs: 0,
  uncertaintyMs: Number.POSITIVE_INFINITY,
};

/** The largest offset that is possible within the uncertainty. */
export function offByAtMostMs({ offsetMs, uncertaintyMs }: ClockReading): number {
  return Math.abs(offsetMs) + uncertaintyMs;
}

/** The smallest offset that is possible within the uncertainty. */
export function offByAtLeastMs({ offsetMs, uncertaintyMs }: ClockReading): number {
  return Math.max(0, Math.abs(offsetMs) - uncertaintyMs);
}

/**
 * Whether at least one source shows that the clock is right, and no source shows that it is wrong.
 */
export function isWithin(readings: readonly ClockReading[], maxOffsetMs: number): boolean {
  return (
    readings.some((reading) => offByAtMostMs(reading) <= maxOffsetMs) &&
    readings.every((reading) => offByAtLeastMs(reading) <= maxOffsetMs)
  );
}
