/**
 * Whether the clock of this node can be trusted to tell when a retention ends. `unchecked` when
 * `worm_clock_max_offset_ms` is 0: then it counts as healthy (SPEC.md 3.3).
 */
export type ClockState = 'healthy' | 'unhealthy' | 'unchecked';

export interface ClockHealth {
  /** Asked with every lock: it looks nothing up. What is not known is unhealthy. */
  state(): ClockState;
  /** Why, for people: `within 3.2 ms by chrony`. */
  describe(): string;
  /** Stops looking. */
  close(): void;
}

/**
 * How far this node's clock is off, as somebody sees it: by `offsetMs`, give or take
 * `uncertaintyMs`, which is infinite when a synchronisation is looked for and there is none.
 */
export interface ClockReading {
  readonly offsetMs: number;
  /** Not negative. */
  readonly uncertaintyMs: number;
}

/** Somebody who can tell. */
export interface ClockSource {
  /** For logs, e.g. `chrony`. */
  readonly name: string;
  /** @throws Error when there is no answer, or none that can be read */
  read(): Promise<ClockReading>;
}

/** The answer of a source that knows that nothing keeps this clock right. */
export const UNSYNCHRONISED: ClockReading = {
  offsetMs: 0,
  uncertaintyMs: Number.POSITIVE_INFINITY,
};

/** At most this far off: what is known whatever the truth within the uncertainty is. */
export function offByAtMostMs({ offsetMs, uncertaintyMs }: ClockReading): number {
  return Math.abs(offsetMs) + uncertaintyMs;
}

/** At least this far off. */
export function offByAtLeastMs({ offsetMs, uncertaintyMs }: ClockReading): number {
  return Math.max(0, Math.abs(offsetMs) - uncertaintyMs);
}

/** Somebody shows that the clock is right, and nobody that it is wrong. */
export function isWithin(readings: readonly ClockReading[], maxOffsetMs: number): boolean {
  return (
    readings.some((reading) => offByAtMostMs(reading) <= maxOffsetMs) &&
    readings.every((reading) => offByAtLeastMs(reading) <= maxOffsetMs)
  );
}
