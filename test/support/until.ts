import { setTimeout } from 'node:timers/promises';

const POLL_MS = 2;

/** Resolves when the condition holds; the test's own timeout is the limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setTimeout(POLL_MS);
}
