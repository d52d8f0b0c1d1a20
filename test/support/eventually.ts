/** A guard against a hang, not an expectation. */
const LIMIT_MS = 20_000;

/** Asks until it holds: for what other processes do in their own time. */
export async function eventually<T>(
  ask: () => Promise<T>,
  holds: (answer: T) => boolean,
): Promise<T> {
  const giveUpAt = Date.now() + LIMIT_MS;
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (Date.now() > giveUpAt) throw new Error(`never held, last: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
