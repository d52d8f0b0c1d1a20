import { readFileSync } from 'node:fs';

/** @typedef {ReturnType<typeof controlOf>} ControlApi */

/**
 * The API of a control service.
 *
 * @param {string} origin of the service
 * @param {string} tokenFile with its password
 */
export function controlOf(origin, tokenFile) {
  const password = readFileSync(tokenFile, 'utf8').trim();
  const authorization = `Basic ${Buffer.from(`deploy:${password}`).toString('base64')}`;
  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body?: object, headers?: Record<string, string> }} [more]
   * @throws {Error} with what the service says, when it refuses something
   */
  return async (method, path, { body, headers = {} } = {}) => {
    const answer = await globalThis.fetch(`${origin}/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const content = Buffer.from(await answer.arrayBuffer());
    if (!answer.ok) throw new Error(`Deploy: ${method} ${path}: ${answer.status} ${content}`);
    return { headers: answer.headers, content };
  };
}

/**
 * Has the control service carry a specification out by one plan, as an operator would by its API.
 *
 * @param {ControlApi} ask
 * @param {object} spec
 * @throws {Error} with what the service says, when it refuses something or the run does not succeed
 */
export async function deployOnce(ask, spec) {
  const { headers } = await ask('GET', '/spec');
  await ask('PUT', '/spec', { body: spec, headers: { 'if-match': headers.get('etag') ?? '' } });
  const plan = jsonOf(await ask('POST', '/plans', { body: {} }));
  const begun = await ask('POST', `/plans/${plan.id}/apply`, {
    headers: { 'if-match': `"${plan.base_etag}"`, 'idempotency-key': plan.id },
    body: {},
  });
  const { run_id: id } = jsonOf(begun);
  // The events of a run end with it.
  await ask('GET', `/runs/${id}/events`);
  const run = jsonOf(await ask('GET', `/runs/${id}`));
  if (run.state !== 'succeeded')
    throw new Error(`Deploy: the run ended ${run.state}: ${run.message}`);
  return { plan, run };
}

/** @param {{ content: Buffer }} answer of JSON */
export function jsonOf({ content }) {
  return JSON.parse(content.toString('utf8'));
}
