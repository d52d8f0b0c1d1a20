import { setTimeout } from 'node:timers/promises';

/** The times that the janitor goes by; tests put their own in its place. */
export interface Clock {
  /** Milliseconds since the epoch: what lifecycle rules are about. */
  now(): number;
  /** Milliseconds that never jump: what leases and paces are about. */
  monotonic(): number;
  /** @throws the reason of the signal, when that is aborted */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The longest timer there is. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    signal.throwIfAborted();
    try {
      await setTimeout(Math.min(ms, TIMER_MS_MAX), undefined, { signal });
    } catch (error) {
      // Node's own AbortError would hide the reason.
      signal.throwIfAborted();
      throw error;
    }
  },
};
