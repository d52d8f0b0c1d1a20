import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { marked } from '../../swift-lab/lib/processes.mjs';
import { swiftCommand } from '../../swift-lab/lib/services.mjs';

/**
 * The contents of a demo's disks, told apart by its rings, and the daemons that change them.
 *
 * @typedef {import('./cluster.mjs').Places} Places
 * @typedef {import('./cluster.mjs').DemoSpec} DemoSpec
 * @typedef {import('./placement.mjs').Placement} Placement
 * @typedef {{ node: string, device: string, folder: string }} Copy
 */

export class Disks {
  /**
   * @param {string} id of the demo
   * @param {Places} places
   * @param {DemoSpec} spec
   * @param {Placement} placement
   */
  constructor(id, places, spec, placement) {
    this.id = id;
    this.places = places;
    this.spec = spec;
    this.placement = placement;
    const secret = (/** @type {string} */ name) =>
      readFileSync(`${places.secrets}/${name}`, 'utf8').trim();
    this.prefix = secret('hash-prefix');
    this.suffix = secret('hash-suffix');
  }

  /** @param {string} path of an account, a container or an object, without a slash before it */
  hashOf(path) {
    const text = `${this.prefix}/${path}${this.suffix}`;
    return md5(text);
  }

  /** @param {string} ring @param {string} path */
  partOf(ring, path) {
    const power = this.spec.rings.find(({ name }) => name === ring)?.part_power ?? 0;
    return Number.parseInt(this.hashOf(path).slice(0, 8), 16) >>> (32 - power);
  }

  /** The nodes that the ring gives a copy to. @param {string} ring @param {string} path */
  primariesOf(ring, path) {
    const part = this.partOf(ring, path);
    const nodeOf = new Map(this.spec.nodes.map((node) => [node.storage_ip, node.name]));
    return (this.placement[ring]?.assigned ?? []).flatMap((place) => {
      const [, own, ip = '', device = ''] = /^(\d+) (.*)\/(.*)$/.exec(place) ?? [];
      return Number(own) === part ? [{ node: nodeOf.get(ip) ?? '', device }] : [];
    });
  }

  /** All copies of an object of the first policy. @param {string} path @returns {Copy[]} */
  copiesOf(path) {
    const hash = this.hashOf(path);
    const own = `objects/${this.partOf('object', path)}/${hash.slice(-3)}/${hash}`;
    return this.#devices().flatMap(({ node, device, folder }) => {
      const has = namesIn(`${folder}/${own}`).some((name) => name.endsWith('.data'));
      return has ? [{ node, device, folder: `${folder}/${own}` }] : [];
    });
  }

  /** Copies on devices that the ring does not want them on. @param {readonly string[]} paths */
  handoffs(paths) {
    return paths.flatMap((path) => {
      const wanted = this.primariesOf('object', path);
      const isHandoff = (/** @type {Copy} */ { node, device }) =>
        !wanted.some((one) => one.node === node && one.device === device);
      return this.copiesOf(path).filter(isHandoff);
    });
  }

  /** Updates of containers that wait, on all disks. */
  pending() {
    return this.#devices().reduce((sum, { folder }) => {
      const queue = `${folder}/async_pending`;
      return namesIn(queue).reduce((all, name) => all + namesIn(`${queue}/${name}`).length, sum);
    }, 0);
  }

  /** The copies in quarantine. @returns {Copy[]} */
  quarantined() {
    return this.#devices().flatMap(({ node, device, folder }) =>
      namesIn(`${folder}/quarantined/objects`).map((name) => ({
        ...{ node, device },
        folder: `${folder}/quarantined/objects/${name}`,
      })),
    );
  }

  /**
   * One pass of a daemon on all nodes, or on one.
   *
   * @param {string} daemon e.g. `object-replicator`
   * @param {string} [only] a node's name
   * @throws {Error} when it fails
   */
  async pass(daemon, only) {
    const file = daemon === 'object-expirer' ? daemon : `${daemon.split('-')[0]}-server`;
    const nodes = this.spec.nodes.filter(({ name }) => only === undefined || name === only);
    await Promise.all(
      nodes.map(async ({ name }) => {
        const conf = `${this.places.node(name)}/etc/swift`;
        const program = swiftCommand(conf, `swift-${daemon}`, [`${conf}/${file}.conf`, 'once']);
        const log = openSync(`${this.places.log}/${daemon}.${name}.log`, 'a', 0o600);
        const child = spawn(program.command, program.args, {
          cwd: '/',
          env: { ...process.env, ...program.env, ...marked(this.id, `${daemon}.${name}`) },
          stdio: ['ignore', log, log],
        });
        const [code] = await once(child, 'close');
        if (code !== 0) throw new Error(`${daemon} on ${name} ended with ${code}`);
      }),
    );
  }

  /** @returns {Copy[]} the devices of all nodes */
  #devices() {
    return this.spec.nodes.flatMap(({ name: node, devices }) =>
      devices.map(({ name: device }) => ({
        ...{ node, device },
        folder: `${this.places.devices}/${node}/${device}`,
      })),
    );
  }
}

/** @param {string} folder @returns {string[]} nothing where there is none */
function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** @param {string} folder of a copy @returns {string} the path of its file */
export function dataFile(folder) {
  const name = namesIn(folder).find((one) => one.endsWith('.data'));
  return `${folder}/${name}`;
}

/** @param {string | Buffer} bytes */
export function md5(bytes) {
  return createHash('md5').update(bytes).digest('hex');
}
