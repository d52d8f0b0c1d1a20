import { setTimeout } from 'node:timers/promises';

const POLL_MS = 2;
/** Less than most tests have, so that they close what they opened. */
const LIMIT_MS = 50_000;

/** Resolves when the condition holds. @throws Error when it did not for most of a minute */
export async function until(condition: () => boolean): Promise<void> {
  const limit = performance.now() + LIMIT_MS;
  while (!condition()) {
    if (performance.now() > limit) throw new Error(`never held: ${String(condition)}`);
    await setTimeout(POLL_MS);
  }
}
