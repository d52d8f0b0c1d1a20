/** A guard against a hang, not an expectation; below mocha's own, which could not say what hangs. */
const LIMIT_MS = 50_000;

/** Between two looks: those who are waited for need the processors. */
const PAUSE_MS = 10;

/**
 * Asks until it holds: for what other processes do in their own time.
 * @param limitMs more where a test was told to do more, with a timeout of its own
 */
export async function eventually<T>(
  ask: () => Promise<T>,
  holds: (answer: T) => boolean,
  limitMs = LIMIT_MS,
): Promise<T> {
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (performance.now() > giveUpAt)
      throw new Error(`never held, last: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
