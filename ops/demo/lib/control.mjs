import { readFileSync } from 'node:fs';

/**
 * Has the control service carry a specification out, as an operator would by its API.
 *
 * @param {string} origin of the service
 * @param {string} tokenFile with its password
 * @param {object} spec
 * @throws {Error} with what the service says, when it refuses something or the run does not succeed
 */
export async function deployOnce(origin, tokenFile, spec) {
  const password = readFileSync(tokenFile, 'utf8').trim();
  const authorization = `Basic ${Buffer.from(`deploy:${password}`).toString('base64')}`;
  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body?: object, headers?: Record<string, string> }} [more]
   */
  const ask = async (method, path, { body, headers = {} } = {}) => {
    const answer = await globalThis.fetch(`${origin}/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Deploy: ${method} ${path}: ${answer.status} ${text}`);
    return { headers: answer.headers, text };
  };
  const { headers } = await ask('GET', '/spec');
  await ask('PUT', '/spec', { body: spec, headers: { 'if-match': headers.get('etag') ?? '' } });
  const plan = JSON.parse((await ask('POST', '/plans', { body: {} })).text);
  const begun = await ask('POST', `/plans/${plan.id}/apply`, {
    headers: { 'if-match': `"${plan.base_etag}"`, 'idempotency-key': plan.id },
    body: {},
  });
  const { run_id: id } = JSON.parse(begun.text);
  // The events of a run end with it.
  await ask('GET', `/runs/${id}/events`);
  const run = JSON.parse((await ask('GET', `/runs/${id}`)).text);
  if (run.state !== 'succeeded')
    throw new Error(`Deploy: the run ended ${run.state}: ${run.message}`);
}
