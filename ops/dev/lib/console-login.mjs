import { setTimeout as delay } from 'node:timers/promises';

/** A guard: a service is ready before its console is. */
const LIMIT_MS = 60_000;

/**
 * Logs in to a console that may still be starting.
 *
 * @param {string} origin such as `http://127.0.0.1:9000`
 * @param {{ account?: string, user: string, key: string }} who
 */
export async function logIn(origin, { account = '', user, key }) {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    try {
      const answer = await fetch(`${origin}/api/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ account, user, key }),
      });
      if (answer.ok) return;
      throw new Error(`the login got ${answer.status}: ${await answer.text()}`);
    } catch (error) {
      // The console does not listen yet.
      if (!(error instanceof TypeError) || Date.now() > deadline) throw error;
      await delay(200);
    }
  }
}
