import type { Device } from '../../../../src/ring/device.js';
import type { Ring } from '../../../../src/ring/ring.js';
import type { PathHash } from '../../../../src/ring/path-hash.js';
import { encodeUriPath } from '../../../../src/lib/uri.js';

/** The subject of a look-up: an account, a container, or an object. */
export interface LookupTarget {
  readonly account: string;
  readonly container?: string | undefined;
  readonly object?: string | undefined;
}

/** A device that has, or stands in for, a replica. */
export interface LookupDevice {
  /** Place of a primary: of an erasure-coded policy, that of its fragment; null for a handoff. */
  readonly index: number | null;
  readonly id: number;
  readonly region: number;
  readonly zone: number;
  readonly ip: string;
  readonly port: number;
  readonly device: string;
  readonly weight: number;
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
      index,
      id,
      region,
      zone,
      ip,
      port,
      device: name,
      weight,
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
function folderOf(ringName: string): string {
  const index = policyIndexOf(ringName);
  if (index === undefined) return `${ringName}s`;
  return index === 0 ? 'objects' : `objects-${index}`;
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
