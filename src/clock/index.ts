import { chronySource, kernelSource } from './sources.js';
import type { ClockHealth, ClockState, ClockSource } from './reading.js';
import { ClockMonitor } from './clock-monitor.js';

export type * from './reading.js';
export { PeerDate } from './sources.js';

export interface ClockHealthOptions {
  /** `worm_clock_max_offset_ms`; 0: nothing is looked at. */
  readonly maxOffsetMs: number;
  /** The backend's own clock, where it tells. */
  readonly peer?: ClockSource | undefined;
  /** Called at each change of the state, and with the first finding. */
  readonly onChange?: ((state: ClockState, why: string) => void) | undefined;
}

/** The state where the check is off. */
export const UNCHECKED: ClockHealth = {
  state: () => 'unchecked',
  describe: () => 'not checked',
  close: () => undefined,
};

/**
 * Watches this node's clock from now on. Resolves after the first look, some seconds at most, so
 * that a process never begins by denying what a right clock allows.
 */
export async function startClockHealth(options: ClockHealthOptions): Promise<ClockHealth> {
  if (options.maxOffsetMs === 0) return UNCHECKED;
  const monitor = new ClockMonitor({ ...options, sources: [chronySource(), kernelSource()] });
  await monitor.look();
  monitor.start();
  return monitor;
}
