import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Data in every partition of every ring, by Swift's own API. */

/** @typedef {import('./cluster.mjs').Places} Places */
/** @typedef {import('./cluster.mjs').DemoSpec} DemoSpec */

/**
 * A client of Swift with the rights of the gateway, in all accounts, and its token.
 *
 * @param {Places} places
 * @param {DemoSpec} spec
 */
export async function swiftClient(places, { nodes, proxy }) {
  const [first] = nodes;
  const origin = `http://${first?.storage_ip}:${proxy.port}`;
  const key = readFileSync(`${places.secrets}/gateway-key`, 'utf8').trim();
  const auth = await globalThis.fetch(`${origin}/auth/v1.0`, {
    headers: { 'x-auth-user': 'gateway:gw', 'x-auth-key': key },
  });
  const token = auth.headers.get('x-auth-token') ?? '';
  /**
   * @param {string} method
   * @param {string} path
   * @param {Record<string, string>} [headers]
   * @param {string} [body]
   */
  const ask = async (method, path, headers = {}, body) => {
    const answer = await globalThis.fetch(`${origin}/v1/${path}`, {
      method,
      headers: { 'x-auth-token': token, ...headers },
      body: body ?? null,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Swift: ${method} ${path}: ${answer.status} ${text}`);
    return { headers: answer.headers, text };
  };
  return Object.assign(ask, { token });
}

/**
 * Makes an account, a container, and an object of each policy in every partition.
 *
 * @param {Places} places
 * @param {DemoSpec} spec
 * @param {Awaited<ReturnType<typeof swiftClient>>} ask
 * @returns {Promise<string[]>} the paths of all objects; each has its path as content
 */
export async function fill(places, spec, ask) {
  const names = namesByPartition(places, spec);
  const accounts = names.each('account', (number) => `AUTH_fill${number}`);
  for (const account of accounts) await ask('PUT', `${account}/first`);
  const containers = names.each('container', (number) => `AUTH_fill/c${number}`);
  for (const container of containers) await ask('PUT', container);
  const objects = [];
  for (const { index, name } of spec.policies) {
    await ask('PUT', `AUTH_fill/${name}`, { 'x-storage-policy': name });
    const ring = index === 0 ? 'object' : `object-${index}`;
    objects.push(...names.each(ring, (number) => `AUTH_fill/${name}/o${number}`));
  }
  for (const path of objects) await ask('PUT', path, {}, path);
  return objects;
}

/**
 * Names that between them lie in all partitions of a ring.
 *
 * @param {Places} places
 * @param {DemoSpec} spec
 */
function namesByPartition({ secrets }, { rings }) {
  const [prefix, suffix] = ['hash-prefix', 'hash-suffix'].map((name) =>
    readFileSync(`${secrets}/${name}`, 'utf8').trim(),
  );
  return {
    /** @param {string} ring @param {(number: number) => string} nameOf */
    each(ring, nameOf) {
      const power = rings.find(({ name }) => name === ring)?.part_power ?? 0;
      /** @type {Map<number, string>} */
      const found = new Map();
      for (let number = 0; found.size < 2 ** power; number += 1) {
        const path = nameOf(number);
        const hash = createHash('md5').update(`${prefix}/${path}${suffix}`).digest();
        const part = hash.readUInt32BE(0) >>> (32 - power);
        if (!found.has(part)) found.set(part, path);
      }
      return [...found.values()];
    },
  };
}
