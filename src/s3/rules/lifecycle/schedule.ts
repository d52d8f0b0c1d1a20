import type { LifecycleTime } from './configuration.js';

/** Lifecycle time is days of UTC. All values are milliseconds since the epoch. */

export const DAY_MS = 86_400_000;

/**
 * When something becomes due that many days after `start`: AWS adds the days and rounds up to the
 * next midnight UTC.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html#intro-lifecycle-rules-number-of-days
 */
export function daysAfter(start: number, days: number): number {
  return (Math.floor(start / DAY_MS) + days + 1) * DAY_MS;
}

/** When a rule's time comes for what was created at `start`. */
export function timeAfter(start: number, time: LifecycleTime): number {
  return 'days' in time ? daysAfter(start, time.days) : time.date;
}
