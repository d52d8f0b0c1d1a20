import type { Device } from '../../../../src/ring/device.js';
import type { Ring } from '../../../../src/ring/ring.js';
import type { PathHash } from '../../../../src/ring/path-hash.js';
import { encodeUriPath } from '../../../../src/lib/uri.js';
import type { LabRings, OpenRing } from '../ground/lab-rings.js';

/** The subject of a look-up: an account, a container, or an object. */
export interface LookupTarget {
  readonly account: string;
  readonly container?: string | undefined;
  readonly object?: string | undefined;
}

/** A device that has, or stands in for, a replica. */
export interface LookupDevice extends Pick<
  Device,
  'id' | 'region' | 'zone' | 'ip' | 'port' | 'device' | 'weight'
> {
  /** Place of a primary: of an erasure-coded policy, that of its fragment; null for a handoff. */
  readonly index: number | null;
  /** Below the folder of devices: `sdb1/objects/123/abc/<hash>`. */
  readonly path: string;
  /** A command that asks the server, as `swift-get-nodes` gives it. */
  readonly curl: string;
}

export interface Lookup {
  readonly hash: string;
  readonly part: number;
  readonly primaries: readonly LookupDevice[];
  readonly handoffs: readonly LookupDevice[];
}

/** Everything that it takes to find a target. */
export interface LookupRing {
  readonly ring: Ring;
  readonly hash: PathHash;
  /** `account`, `container`, `object`, `object-1`, … */
  readonly ringName: string;
}

/** Where a target belongs, in Swift's order. @param handoffsMax - how many handoffs are wanted */
export function lookup(
  { ring, hash, ringName }: LookupRing,
  target: LookupTarget,
  handoffsMax: number,
): Lookup {
  const { account, container, object } = target;
  const hex = hash.hex(account, container, object);
  const part = ring.partition(hex);
  const view = (device: Device, index: number | null): LookupDevice => {
    const { id, region, zone, ip, port, device: name, weight } = device;
    return {
      ...{ index, id, region, zone, ip, port, device: name, weight },
      path: `${name}/${folderOf(ringName)}/${part}/${hex.slice(-3)}/${hex}`,
      curl: curlOf(device, part, target, policyIndexOf(ringName)),
    };
  };
  const primaries = ring.primaries(part).map((device, index) => view(device, index));
  const handoffs: LookupDevice[] = [];
  if (handoffsMax > 0) {
    for (const device of ring.handoffs(part)) {
      handoffs.push(view(device, null));
      if (handoffs.length >= handoffsMax) break;
    }
  }
  return { hash: hex, part, primaries, handoffs };
}

/** One place where a target is, or should be. */
export interface Place {
  readonly device: Device;
  /** Its place among the primaries; null for a handoff. */
  readonly index: number | null;
}

/** A target in the rings of the Lab, with the devices themselves. */
export interface Located extends Lookup {
  readonly opened: OpenRing;
  /** The primaries, and then the handoffs. */
  readonly places: readonly Place[];
}

/**
 * Where a target belongs.
 * @param handoffsMax - as many as primaries, unless said otherwise
 * @throws ApiError what opening the ring throws
 */
export async function locate(
  rings: Pick<LabRings, 'open' | 'pathHash'>,
  ringName: string,
  target: LookupTarget,
  handoffsMax?: number,
): Promise<Located> {
  const opened = await rings.open(ringName);
  const { ring } = opened;
  const most = handoffsMax ?? Math.ceil(ring.replicas);
  const found = lookup({ ring, hash: await rings.pathHash(), ringName }, target, most);
  const places = [...found.primaries, ...found.handoffs].flatMap(({ id, index }) => {
    const device = ring.data.devices[id] ?? null;
    return device === null ? [] : [{ device, index }];
  });
  return { ...found, opened, places };
}

/** The name of the ring of a policy's objects. */
export function objectRing(policyIndex: number): string {
  return policyIndex === 0 ? 'object' : `object-${policyIndex}`;
}

/** @returns undefined for rings of accounts and containers */
export function policyIndexOf(ringName: string): number | undefined {
  const match = /^object(?:-(\d+))?$/.exec(ringName);
  return match === null ? undefined : Number(match[1] ?? 0);
}

/** The path of a target in a request to a storage server, below device and partition. */
export function rawPathOf({ account, container, object }: LookupTarget): string {
  const parts = [account, container, object].filter((part) => part !== undefined);
  return `/${parts.map((part) => encodeUriPath(part)).join('/')}`;
}

/** The folder of a device that a ring's data is in. */
export function folderOf(ringName: string): string {
  return ringName.replace(/[a-z]+/, (type) => `${type}s`);
}

function curlOf(
  { ip, port, device }: Device,
  part: number,
  target: LookupTarget,
  policyIndex: number | undefined,
): string {
  const host = ip.includes(':') ? `[${ip}]` : ip;
  const url = `http://${host}:${port}/${encodeURIComponent(device)}/${part}${rawPathOf(target)}`;
  const header =
    policyIndex === undefined ? '' : ` -H 'X-Backend-Storage-Policy-Index: ${policyIndex}'`;
  // Single quotes are encoded in the path, so that nothing ends the argument.
  return `curl -g -I -XHEAD '${url.replaceAll("'", '%27')}'${header}`;
}
