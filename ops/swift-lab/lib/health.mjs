import { get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;
const ASK_LIMIT_MS = 2000;

/** Whether a service answers now. @param {import('./services.mjs').Service} service */
export function isHealthy(service) {
  const { ip, port, isHttp } = service;
  // A daemon cannot be asked anything.
  if (port === undefined) return Promise.resolve(true);
  return isHttp ? answersHealthcheck({ ip, port }) : accepts({ ip, port });
}

/**
 * Polls until the service answers.
 *
 * @param {import('./services.mjs').Service} service
 * @param {AbortSignal} signal ends the waiting
 * @throws {Error} when the signal is aborted first
 */
export async function untilHealthy(service, signal) {
  while (!(await isHealthy(service))) {
    if (signal.aborted) throw new Error(`${service.name} does not answer`);
    await delay(POLL_MS);
  }
}

/**
 * @param {{ ip: string, port: number }} address
 * @returns {Promise<boolean>}
 */
function answersHealthcheck({ ip, port }) {
  return new Promise((resolve) => {
    const options = { host: ip, port, path: '/healthcheck', agent: false, timeout: ASK_LIMIT_MS };
    const request = get(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
    request.once('close', () => resolve(false));
  });
}

/**
 * @param {{ ip: string, port: number }} address
 * @returns {Promise<boolean>}
 */
function accepts({ ip, port }) {
  return new Promise((resolve) => {
    const socket = connect({ host: ip, port, timeout: ASK_LIMIT_MS });
    const end = (/** @type {boolean} */ answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}
