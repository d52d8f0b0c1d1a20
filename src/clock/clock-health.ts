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
