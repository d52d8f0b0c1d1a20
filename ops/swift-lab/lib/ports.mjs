import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { NODE_IPS } from './layout.mjs';

/** Port numbers of a lab, by their offset in its block. All nodes use the same, each on its IP. */
const NAMES = /** @type {const} */ ([
  'object',
  'container',
  'account',
  'rsync',
  'memcached',
  'proxy-1',
  'proxy-2',
  'proxy-s3api',
  'proxy-s3api-acl',
  // A port without a listener: Swift insists on a syslog server, and the machine's must not get its
  // lines.
  'no-syslog',
  // UDP: the console of `gateway/lab.json` takes the timers of Swift there, with `--statsd`.
  'statsd',
  // With `--tls`, in front of the proxies for Ringway.
  'tls-1',
  'tls-2',
]);

/** @typedef {Record<(typeof NAMES)[number], number>} Ports */

/** In the order of the proxies. */
export const TLS_PORTS = /** @type {const} */ (['tls-1', 'tls-2']);

/** Below the ports that the kernel gives to outgoing connections: those come and go all the time. */
const FIRST = 20_000;
const END = 32_000;

/**
 * @param {number} base
 * @returns {Ports}
 */
export function portsFrom(base) {
  const ports = Object.fromEntries(NAMES.map((name, offset) => [name, base + offset]));
  return /** @type {Ports} */ (ports);
}

/**
 * A block of ports that are free on all addresses of the lab: they are written into rings, so they
 * stay the same for as long as the lab's data lives.
 *
 * @param {number | undefined} base the first port; without it, a free block is looked for
 * @throws {Error} naming the ports when those that were asked for are taken
 */
export async function choosePorts(base) {
  if (base !== undefined) {
    const ports = portsFrom(base);
    const taken = await takenOf(ports);
    if (taken.length > 0) throw new Error(`ports are taken: ${taken.join(', ')}`);
    return ports;
  }
  return freePorts(NAMES, NODE_IPS);
}

/**
 * A block of ports that are free on all addresses.
 *
 * @template {string} Name
 * @param {readonly Name[]} names
 * @param {readonly string[]} ips
 * @returns {Promise<Record<Name, number>>} one after the other, by their names
 */
export async function freePorts(names, ips) {
  for (;;) {
    // A random block, so that labs that start at the same time try different ones.
    const blocks = Math.floor((END - FIRST) / names.length);
    const base = FIRST + randomInt(blocks) * names.length;
    const ports = Object.fromEntries(names.map((name, offset) => [name, base + offset]));
    if ((await takenOf(ports, ips)).length === 0)
      return /** @type {Record<Name, number>} */ (ports);
  }
}

/**
 * @param {Readonly<Record<string, number>>} ports
 * @param {readonly string[]} [ips] by default those of the lab
 */
async function takenOf(ports, ips = NODE_IPS) {
  const numbers = Object.values(ports);
  const free = await Promise.all(
    numbers.map(async (port) => {
      for (const ip of ips) if (!(await isFree({ ip, port }))) return false;
      return true;
    }),
  );
  return numbers.filter((_port, index) => !free[index]);
}

/**
 * Whether the port has no listener.
 *
 * @param {{ ip: string, port: number }} address
 */
export async function isFree({ ip, port }) {
  const server = createServer();
  server.listen(port, ip);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
