/** A guard against a hang, not an expectation; below mocha's own, which could not say what hangs. */
const LIMIT_MS = 50_000;

/**
 * Between two looks: those who are waited for need the processors. It grows with the time that was
 * waited so far, so that a look comes late by an eighth of it at most.
 */
const PAUSE_MS = { min: 10, max: 100 };

/**
 * Asks until it holds: for what other processes do in their own time.
 * @param limitMs more where a test was told to do more, with a timeout of its own
 */
export async function eventually<T>(
  ask: () => Promise<T>,
  holds: (answer: T) => boolean,
  limitMs = LIMIT_MS,
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > limitMs) throw new Error(`never held, last: ${JSON.stringify(answer)}`);
    const pauseMs = Math.min(Math.max(waitedMs / 8, PAUSE_MS.min), PAUSE_MS.max);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
