/**
 * The console's API as its pages use it, logged in.
 *
 * @param {string} origin
 * @param {{ account: string, user: string, key: string }} login
 */
export async function consoleClient(origin, login) {
  const headers = { origin, 'content-type': 'application/json' };
  const body = JSON.stringify(login);
  const answer = await globalThis.fetch(`${origin}/api/session`, { method: 'POST', headers, body });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { csrf } = /** @type {{ csrf: string }} */ (await answer.json());
  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [given] sent as JSON
   * @returns {Promise<any>} what the answer says; undefined for an answer without a body
   * @throws {Error} with what the console says, when it refuses something
   */
  return async (method, path, given) => {
    const sent = await globalThis.fetch(`${origin}${path}`, {
      method,
      headers: { ...headers, cookie, 'x-csrf-token': csrf },
      body: given === undefined ? null : JSON.stringify(given),
    });
    const text = await sent.text();
    if (!sent.ok) throw new Error(`Console: ${method} ${path}: ${sent.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

/** @typedef {Awaited<ReturnType<typeof consoleClient>>} ConsoleApi */
