import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { isHealthy } from './health.mjs';
import { labProcesses } from './processes.mjs';
import { PROXIES } from './proxy-conf.mjs';
import { servicesOf } from './services.mjs';
import { SERVICE_USER } from './users.mjs';

const POLL_MS = 50;
const ASK_LIMIT_MS = 30_000;
/** A proxy keeps up to two connections to memcached, either of which may be of one that is gone. */
const IN_A_ROW = 4;

/** @typedef {import('./state.mjs').LabState} LabState */
/** @typedef {import('./services.mjs').Service} Service */

/**
 * Waits until every proxy that runs takes the tokens that it gives: after a restart of memcached one
 * may give a token that it could not store, and answer 401 to it. Without memcached there is nothing
 * to wait for.
 *
 * @param {LabState} lab
 * @param {AbortSignal} signal ends the waiting
 * @throws {Error} when the signal is aborted first
 */
export async function untilTokensWork(lab, signal) {
  const services = await runningServices(lab);
  if (!services.some(({ name }) => name === 'memcached')) return;
  await Promise.all(proxiesOf(services).map((proxy) => tokenThatWorks(proxy, signal)));
}

/**
 * Waits until a container and an object of each policy can be made through each proxy, and takes
 * them away again.
 *
 * @param {LabState} lab
 * @param {AbortSignal} signal ends the waiting
 * @throws {Error} when the signal is aborted first
 */
export async function untilWritable(lab, signal) {
  for (const proxy of proxiesOf(await runningServices(lab))) {
    const token = await tokenThatWorks(proxy, signal);
    for (const policy of lab.policies) {
      const container = `${ACCOUNT}/lab-is-ready-${proxy.name}-${policy}`;
      /**
       * @param {string} method
       * @param {string} path
       * @param {Record<string, string>} headers
       * @param {readonly number[]} wanted
       */
      const make = (method, path, headers, wanted) =>
        untilAnswered(proxy, method, path, { 'x-auth-token': token, ...headers }, wanted, signal);
      await make('PUT', container, { 'x-storage-policy': policy }, [201, 202]);
      await make('PUT', `${container}/o`, { 'content-length': '0' }, [201]);
      await make('DELETE', `${container}/o`, {}, [204, 404]);
      await make('DELETE', container, {}, [204, 404]);
    }
  }
}

const ACCOUNT = `/v1/AUTH_${SERVICE_USER.account}`;

/** @param {LabState} lab @returns {Promise<Service[]>} those that run and answer */
async function runningServices(lab) {
  const paused = labProcesses(lab.id).filter(({ isPaused }) => isPaused);
  const candidates = servicesOf(lab).filter(
    ({ name }) => !paused.some(({ service }) => service === name),
  );
  const healthy = await Promise.all(candidates.map((service) => isHealthy(service)));
  return candidates.filter((_service, index) => healthy[index]);
}

/** @param {readonly Service[]} services */
function proxiesOf(services) {
  return services.filter(({ name }) => PROXIES.some((proxy) => proxy.name === name));
}

/**
 * @param {Service} proxy
 * @param {AbortSignal} signal ends the waiting
 */
async function tokenThatWorks(proxy, signal) {
  for (let inARow = 0; ;) {
    const token = await login(proxy);
    const status =
      token === '' ? 401 : await ask(proxy, 'HEAD', ACCOUNT, { 'x-auth-token': token });
    inARow = status === 401 ? 0 : inARow + 1;
    if (inARow === IN_A_ROW) return token;
    await pause(proxy, 'does not take its own tokens', signal);
  }
}

/** @param {Service} proxy */
async function login(proxy) {
  const { account, user, key } = SERVICE_USER;
  const headers = { 'x-auth-user': `${account}:${user}`, 'x-auth-key': key };
  const response = await answer(proxy, 'GET', '/auth/v1.0', headers);
  return String(response?.headers['x-auth-token'] ?? '');
}

/**
 * @param {Service} proxy
 * @param {string} method
 * @param {string} path
 * @param {Record<string, string>} headers
 * @param {readonly number[]} wanted
 * @param {AbortSignal} signal ends the waiting
 */
async function untilAnswered(proxy, method, path, headers, wanted, signal) {
  for (;;) {
    const status = await ask(proxy, method, path, headers);
    if (wanted.includes(status)) return;
    await pause(proxy, `answers ${status} to ${method} ${path}`, signal);
  }
}

/**
 * @param {Service} proxy
 * @param {string} problem
 * @param {AbortSignal} signal ends the waiting
 */
async function pause({ name }, problem, signal) {
  if (signal.aborted) throw new Error(`${name} ${problem}`);
  await delay(POLL_MS);
}

/**
 * @param {Service} proxy
 * @param {string} method
 * @param {string} path
 * @param {Record<string, string>} headers
 * @returns {Promise<number>} the status; 0 without an answer
 */
async function ask(proxy, method, path, headers) {
  return (await answer(proxy, method, path, headers))?.statusCode ?? 0;
}

/**
 * @param {Service} proxy
 * @param {string} method
 * @param {string} path
 * @param {Record<string, string>} headers
 * @returns {Promise<import('node:http').IncomingMessage | undefined>}
 */
function answer({ ip, port }, method, path, headers) {
  return new Promise((resolve) => {
    const options = { host: ip, port, method, path, headers, agent: false, timeout: ASK_LIMIT_MS };
    const sent = request(options, (response) => {
      response.resume();
      response.once('end', () => resolve(response));
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => resolve(undefined));
    sent.once('close', () => resolve(undefined));
    sent.end();
  });
}
