import { isIP } from 'node:net';
import { corrupt } from './ring-error.js';

/** A device of a ring: a disk, and the server that has it. */
export interface Device {
  /** Its place in the ring's list of devices. */
  readonly id: number;
  readonly region: number;
  readonly zone: number;
  /** An IPv4 or IPv6 address without brackets, or a host name. */
  readonly ip: string;
  readonly port: number;
  readonly replicationIp: string;
  readonly replicationPort: number;
  /** The name of its folder on the server, such as `sdb1`. */
  readonly device: string;
  /** Its share of the partitions, relative to the other devices; 0 gives all away. */
  readonly weight: number;
  /** Free text of the operator. */
  readonly meta: string;
}

/** The devices by id; null where a device was removed. */
export type Devices = readonly (Device | null)[];

/** The devices that are there, in the order of their ids. */
export function presentDevices(devices: Devices): Device[] {
  return devices.filter((device) => device !== null);
}

/**
 * The list of devices of a ring file (`devs`). Like in Swift, a missing region is 1, and a missing
 * replication address is the device's own; keys that it does not know are left out.
 *
 * @throws RingFileError that names the device and the key
 */
export function parseDevices(value: unknown): Devices {
  if (!Array.isArray(value)) throw corrupt('its list of devices is not a list');
  return value.map((entry: unknown, id) => (entry === null ? null : parseDevice(entry, id)));
}

/** A device as ring files have it. */
export function deviceJson(device: Device): Record<string, number | string> {
  return {
    device: device.device,
    id: device.id,
    ip: device.ip,
    meta: device.meta,
    port: device.port,
    region: device.region,
    replication_ip: device.replicationIp,
    replication_port: device.replicationPort,
    weight: device.weight,
    zone: device.zone,
  };
}

const PORT_MAX = 65_535;
const NAME_LENGTH_MAX = 255;
const META_LENGTH_MAX = 64 * 1024;
const HOST_NAME = /^(?=.{1,253}\.?$)(?:(?!-)[A-Za-z\d-]{1,63}(?<!-)(?:\.|$))+$/;
/** The name is a folder of its own, and a part of the path of every request to the server. */
const DEVICE_NAME = /^(?! )[^/\p{Cc}]+(?<! )$/u;

/** @throws RingFileError that names the key */
export function parseDevice(entry: unknown, id: number): Device {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw corrupt(`device ${id} is neither an object nor null`);
  }
  const fields = new Map<string, unknown>(Object.entries(entry));
  const refuse = (key: string, expected: string): never => {
    throw corrupt(`device ${id} has ${key} ${shown(fields.get(key))}, expected ${expected}`);
  };
  const whole = (key: string, min: number, max: number, otherwise?: number): number => {
    const given = fields.get(key) ?? otherwise;
    if (typeof given === 'number' && Number.isInteger(given) && given >= min && given <= max) {
      return given;
    }
    return refuse(key, `a whole number from ${min} to ${max}`);
  };
  const text = (key: string, valid: (given: string) => boolean, expected: string): string => {
    const given = fields.get(key);
    return typeof given === 'string' && valid(given) ? given : refuse(key, expected);
  };

  if (fields.get('id') !== id) refuse('id', `its place in the list, ${id}`);
  const weight = fields.get('weight');
  if (typeof weight !== 'number' || !Number.isFinite(weight) || weight < 0) {
    return refuse('weight', 'a number of at least 0');
  }
  const ip = text('ip', isAddress, 'an IP address or a host name');
  const port = whole('port', 1, PORT_MAX);
  return {
    id,
    region: whole('region', 0, Number.MAX_SAFE_INTEGER, 1),
    zone: whole('zone', 0, Number.MAX_SAFE_INTEGER),
    ip,
    port,
    replicationIp:
      (fields.get('replication_ip') ?? null) === null
        ? ip
        : text('replication_ip', isAddress, 'an IP address or a host name'),
    replicationPort: whole('replication_port', 1, PORT_MAX, port),
    device: text('device', isDeviceName, 'the name of a folder'),
    weight,
    meta: fields.has('meta')
      ? text('meta', (given) => given.length <= META_LENGTH_MAX, 'a text')
      : '',
  };
}

/** Whether Swift takes it for the address of a server: an IP address without brackets, or a name. */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0 || HOST_NAME.test(text);
}

export function isDeviceName(text: string): boolean {
  return text.length <= NAME_LENGTH_MAX && text !== '.' && text !== '..' && DEVICE_NAME.test(text);
}

const SHOWN_LENGTH_MAX = 60;

function shown(given: unknown): string {
  if (given === undefined) return 'missing';
  // Nested values may be too deep to be shown.
  if (typeof given === 'object' && given !== null) return Array.isArray(given) ? '[…]' : '{…}';
  const text = JSON.stringify(given);
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}
