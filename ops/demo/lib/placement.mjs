import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PYTHON } from '../../swift-lab/lib/programs.mjs';

/** Where data lies, and where rings want it: by Swift's own code, and by what lies on the disks. */

/** @typedef {import('./cluster.mjs').Places} Places */
/** @typedef {import('./cluster.mjs').DemoSpec} DemoSpec */
/** @typedef {Record<string, { assigned: string[], found: string[] }>} Placement */

const PROGRAM = fileURLToPath(new URL('../python/placement.py', import.meta.url));
const POLL_MS = 5000;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * @param {Places} places
 * @param {DemoSpec} spec with all nodes that have disks
 * @returns {Promise<Placement>}
 */
export async function placementOf(places, { nodes }) {
  const addresses = Object.fromEntries(nodes.map(({ name, storage_ip: ip }) => [name, ip]));
  const conf = `${places.node('node2')}/etc/swift`;
  const { stdout } = await promisify(execFile)(
    PYTHON,
    [PROGRAM, places.nodes, conf, JSON.stringify(addresses)],
    { maxBuffer: OUTPUT_BYTES_MAX },
  );
  return JSON.parse(stdout);
}

/**
 * Waits until every ring's data lies where the ring wants it, and nowhere else.
 *
 * @param {Places} places
 * @param {DemoSpec} spec
 * @param {number} limitMs
 * @throws {Error} with what is in the wrong place, when that takes too long
 */
export async function untilPlaced(places, spec, limitMs) {
  const until = Date.now() + limitMs;
  for (;;) {
    const placement = await placementOf(places, spec);
    const wrong = Object.entries(placement).flatMap(([ring, { assigned, found }]) => [
      ...without(assigned, found).map((place) => `${ring}: ${place} is missing`),
      ...without(found, assigned).map((place) => `${ring}: ${place} is left over`),
    ]);
    if (wrong.length === 0) return placement;
    if (Date.now() > until) {
      throw new Error(`${wrong.length} places are wrong: ${wrong.slice(0, 10).join('; ')}`);
    }
    await delay(POLL_MS);
  }
}

/**
 * How many part-replicas are on another device than before, by ring.
 *
 * @param {Placement} before
 * @param {Placement} after
 * @param {'assigned' | 'found'} what
 */
export function movedParts(before, after, what) {
  return Object.fromEntries(
    Object.entries(after).map(([ring, own]) => [
      ring,
      without(own[what], before[ring]?.[what] ?? []).length,
    ]),
  );
}

/** @param {readonly string[]} all @param {readonly string[]} others */
function without(all, others) {
  const known = new Set(others);
  return all.filter((each) => !known.has(each));
}

/**
 * Asks the recon of every server for the MD5 of its rings.
 *
 * @param {Places} places
 * @param {DemoSpec} spec
 * @throws {Error} where one has another ring than the nodes' files are
 */
export async function expectRingsEverywhere(places, { nodes }) {
  let asked = 0;
  for (const { storage_ip: ip, ports } of nodes) {
    for (const role of /** @type {const} */ (['account', 'container', 'object'])) {
      const answer = await globalThis.fetch(`http://${ip}:${ports[role]}/recon/ringmd5`);
      const all = /** @type {Record<string, string>} */ (await answer.json());
      for (const [file, md5] of Object.entries(all)) {
        const name = file.slice(file.lastIndexOf('/') + 1);
        const own = readFileSync(`${places.node('node2')}/etc/swift/${name}`);
        const wanted = createHash('md5').update(own).digest('hex');
        if (md5 !== wanted) throw new Error(`${role} server of ${ip}: ${name} has MD5 ${md5}`);
        asked += 1;
      }
    }
  }
  return asked;
}
