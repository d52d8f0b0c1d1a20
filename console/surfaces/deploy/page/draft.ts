import { listOf, type Json } from './json-values.js';
import { firstSpec } from './spec-fields.js';
import type { RingChange as Wanted, RingDevice } from '../../../ui/ring-change.js';

/**
 * Drafts of specifications that other pages make, such as RingScope of a change that was tried. A
 * draft is shown in the editor, and nothing is saved before the user does it.
 */

type WhatIfChange = Wanted['changes'][number];

/** The parts of a saved specification, which the service has checked, that a change is about. */
interface SavedNode {
  storage_ip?: string;
  ports?: Readonly<Record<string, number>>;
  devices?: readonly SavedDevice[];
}
interface SavedDevice {
  name: string;
  weight: number;
  rings?: string[];
}
interface SavedRing {
  name?: string;
  overload?: number;
}

/** `notes`: what the user has to know of it. */
export interface Draft {
  spec: Json;
  notes: readonly string[];
  from: string;
}

/**
 * The specification with a change of a ring. Where there is none yet, it is one of the ring's devices.
 *
 * @param saved what the deploy service has
 */
export function draftOf(saved: Readonly<Json> | null, wanted: Wanted): Draft {
  const spec: Json = saved === null ? fromRing(wanted) : structuredClone(saved);
  const notes: string[] =
    saved === null
      ? [
          'No specification was saved yet. Nodes and devices come from the ring; all other values are defaults.',
        ]
      : [];
  const byId = new Map(wanted.devices.map((device) => [device.id, device]));
  const missing: string[] = [];
  for (const change of wanted.changes) {
    const place = change.kind === 'add' ? change : byId.get(change.id);
    const done = place !== undefined && changed(spec, wanted.ring, change, place);
    if (!done)
      missing.push(
        place === undefined ? `device ${'id' in change ? change.id : ''}` : placeText(place),
      );
  }
  if (missing.length > 0) {
    const first = missing.slice(0, 5).join(', ');
    const names = missing.length > 5 ? `${first} and ${missing.length - 5} more` : first;
    notes.push(`Not in the specification and left unchanged: ${names}.`);
  }
  const ring = (listOf(spec.rings) as SavedRing[]).find(({ name }) => name === wanted.ring);
  if (ring !== undefined && wanted.overload > 0) ring.overload = wanted.overload;
  if (wanted.changes.some(({ kind }) => kind !== 'add')) {
    notes.push(
      'A new weight applies to every ring the device is in. A removed device leaves all rings or, if the specification lists its rings, only this one.',
    );
  }
  return { spec, notes, from: `RingScope, ring ${wanted.ring}` };
}

/**
 * @param spec is changed
 * @returns whether the specification has the place
 */
function changed(
  spec: Json,
  ring: string,
  change: WhatIfChange,
  place: Omit<RingDevice, 'id'>,
): boolean {
  const nodes = listOf(spec.nodes) as SavedNode[];
  const role = roleOf(ring);
  const near = nodes.filter(({ storage_ip: ip }) => ip === place.ip);
  // Several nodes may share an address, where they are told apart by their ports.
  const node =
    near.find(({ ports }) => ports?.[role] === place.port) ??
    (near.length === 1 ? near[0] : undefined);
  const devices = node?.devices ?? [];
  const device = devices.find(({ name }) => name === place.device);
  /** Rings that the device names; without names it is in all of its node's. */
  const own = device?.rings ?? [];
  if (change.kind === 'add') {
    const { weight } = change;
    if (node === undefined) nodes.push(nodeOf(place, [{ name: change.device, weight }], role));
    else if (device === undefined) node.devices = [...devices, { name: change.device, weight }];
    else {
      device.weight = weight;
      if (own.length > 0) device.rings = [...new Set([...own, ring])];
    }
    spec.nodes = nodes;
    return true;
  }
  if (device === undefined || (own.length > 0 && !own.includes(ring))) return false;
  if (change.kind === 'set_weight') device.weight = change.weight;
  else if (own.length > 1) device.rings = own.filter((name) => name !== ring);
  else if (node !== undefined) node.devices = devices.filter((one) => one !== device);
  return true;
}

function fromRing({ ring, part_power: power, replicas, devices }: Wanted) {
  const spec = firstSpec();
  const role = roleOf(ring);
  const ips = [...new Set(devices.map(({ ip }) => ip))];
  const nodes = ips.flatMap((ip, at) => {
    const own = devices.filter((device) => device.ip === ip);
    const [first] = own;
    if (first === undefined) return [];
    const node = nodeOf(
      first,
      own.map(({ device: name, weight }) => ({ name, weight })),
      role,
    );
    return at === 0 ? [{ ...node, roles: [...node.roles, 'proxy', 'expirer'] }] : [node];
  });
  const rings = spec.rings.map((one) =>
    one.name === ring ? { ...one, part_power: power, replicas } : one,
  );
  return { ...spec, rings, nodes };
}

/** @param role of the ring: of its server the port is known */
function nodeOf(
  { region, zone, ip, port }: Omit<RingDevice, 'id'>,
  devices: readonly { name: string; weight: number }[],
  role: string,
) {
  const name = `node-${ip.replaceAll(/[^A-Za-z0-9]+/g, '-')}`;
  const roles = ['account', 'container', 'object'];
  return { name, region, zone, storage_ip: ip, roles, ports: { [role]: port }, devices };
}

/**
 * The server that a ring is of.
 *
 * @param ring such as `object-1`
 */
function roleOf(ring: string) {
  return ring.replace(/-\d+$/, '');
}

function placeText({ ip, port, device }: Omit<RingDevice, 'id'>) {
  return `${ip}:${port}/${device}`;
}
