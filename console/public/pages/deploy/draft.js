import { firstSpec } from './spec-fields.js';

/**
 * Drafts of specifications that other pages make, such as RingScope of a change that was tried. A
 * draft is shown in the editor, and nothing is saved before the user does it.
 *
 * @typedef {import('../../js/ring-change.js').RingChange} Wanted
 * @typedef {import('../../js/ring-change.js').RingDevice} RingDevice
 * @typedef {Wanted['changes'][number]} WhatIfChange
 * @typedef {{ spec: Record<string, any>, notes: readonly string[], from: string }} Draft `notes`: what
 *   the user has to know of it
 */

/**
 * The specification with a change of a ring. Where there is none yet, it is one of the ring's devices.
 *
 * @param {Record<string, any> | null} saved what the deploy service has
 * @param {Wanted} wanted
 * @returns {Draft}
 */
export function draftOf(saved, wanted) {
  const spec = saved === null ? fromRing(wanted) : JSON.parse(JSON.stringify(saved));
  /** @type {string[]} */
  const notes =
    saved === null
      ? ['Nothing was described yet: nodes and devices are those of the ring, the rest is made up.']
      : [];
  const byId = new Map(wanted.devices.map((device) => [device.id, device]));
  const missing = [];
  for (const change of wanted.changes) {
    const place = change.kind === 'add' ? change : byId.get(change.id);
    const done = place !== undefined && changed(spec, wanted.ring, change, place);
    if (!done)
      missing.push(
        place === undefined ? `device ${'id' in change ? change.id : ''}` : placeText(place),
      );
  }
  if (missing.length > 0) {
    const more = missing.length > 5 ? ` and ${missing.length - 5} more` : '';
    notes.push(
      `Not in the specification, and left as they are: ${missing.slice(0, 5).join(', ')}${more}.`,
    );
  }
  const ring = listOf(spec.rings).find(({ name }) => name === wanted.ring);
  if (ring !== undefined && wanted.overload > 0) ring.overload = wanted.overload;
  if (wanted.changes.some(({ kind }) => kind !== 'add')) {
    notes.push(
      'A weight counts in all rings that the device is in, unless the device names its rings.',
    );
  }
  return { spec, notes, from: `RingScope, ring ${wanted.ring}` };
}

/**
 * @param {Record<string, any>} spec is changed
 * @param {string} ring
 * @param {WhatIfChange} change
 * @param {Omit<RingDevice, 'id'>} place
 * @returns {boolean} whether the specification has the place
 */
function changed(spec, ring, change, place) {
  const nodes = listOf(spec.nodes);
  const role = ring.replace(/-\d+$/, '');
  const near = nodes.filter(({ storage_ip: ip }) => ip === place.ip);
  // Several nodes may share an address, where they are told apart by their ports.
  const node = near.find(({ ports }) => ports?.[role] === place.port) ?? near[0];
  if (change.kind === 'add') {
    const device = { name: change.device, weight: change.weight };
    if (node === undefined) nodes.push(nodeOf(place, [device]));
    else
      node.devices = [...listOf(node.devices).filter(({ name }) => name !== device.name), device];
    spec.nodes = nodes;
    return true;
  }
  const device = listOf(node?.devices).find(({ name }) => name === place.device);
  if (device === undefined) return false;
  if (change.kind === 'set_weight') device.weight = change.weight;
  else node.devices = listOf(node.devices).filter((one) => one !== device);
  return true;
}

/** @param {Wanted} wanted */
function fromRing({ ring, part_power: power, replicas, devices }) {
  const spec = firstSpec();
  const ips = [...new Set(devices.map(({ ip }) => ip))];
  const nodes = ips.flatMap((ip, at) => {
    const own = devices.filter((device) => device.ip === ip);
    const [first] = own;
    if (first === undefined) return [];
    const node = nodeOf(
      first,
      own.map(({ device: name, weight }) => ({ name, weight })),
    );
    return at === 0 ? [{ ...node, roles: [...node.roles, 'proxy', 'expirer'] }] : [node];
  });
  const rings = spec.rings.map((one) =>
    one.name === ring ? { ...one, part_power: power, replicas } : one,
  );
  return { ...spec, rings, nodes };
}

/**
 * @param {Omit<RingDevice, 'id'>} place
 * @param {readonly { name: string, weight: number }[]} devices
 */
function nodeOf({ region, zone, ip }, devices) {
  const name = `node-${ip.replaceAll(/[^A-Za-z0-9]+/g, '-')}`;
  return { name, region, zone, storage_ip: ip, roles: ['account', 'container', 'object'], devices };
}

/** @param {Omit<RingDevice, 'id'>} place */
function placeText({ ip, port, device }) {
  return `${ip}:${port}/${device}`;
}

/** @param {unknown} value @returns {any[]} */
function listOf(value) {
  return Array.isArray(value) ? value : [];
}
