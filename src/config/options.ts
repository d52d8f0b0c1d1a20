import path from 'node:path';
import type { Config } from './schema.js';

/** An address to listen at. Port 0 asks for any free port. */
export interface ListenAddress {
  /** An IP address or a name, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A configuration key as the code writes it. */
export type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/**
 * The configuration as the code uses it: every key of the schema in camel case, with every default
 * filled in and every path absolute, e.g. `drain_timeout_ms` as `options.drainTimeoutMs`. Plain
 * data: it crosses to the listeners as JSON. The meaning of each key stands once, in schema.ts.
 */
export type FilledOptions = {
  readonly [K in keyof Config as CamelCase<K>]: Config[K];
};

/** Addresses that mean "every interface" are none that a client can connect to. */
const ANY_HOST: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The URL under which a client on this machine reaches an address. */
export function localUrl({ host, port }: ListenAddress, scheme: 'http' | 'https' = 'http'): string {
  return `${scheme}://${formatAddress({ host: ANY_HOST[host] ?? host, port })}`;
}

/** `HOST:PORT` for people and URLs; an IPv6 address gets its brackets. */
export function formatAddress(address: ListenAddress): string {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `${host}:${address.port}`;
}

/** The embedded store's directory; the rest of the data directory belongs to the supervisor. */
export function storeDirectory(options: Pick<FilledOptions, 'dataDir'>): string {
  return path.join(options.dataDir, 'store');
}

/** The folder of cold copies in the data directory, unless the configuration names another. */
export const DEFAULT_COLD_FOLDER = 'cold';

/** Something that listens, by the key that says where. */
interface ListenKey<Key extends string> {
  readonly key: Key;
  readonly address: ListenAddress;
}

/** A key whose value is wrong because of another key. */
interface ListenOverlap<Key extends string> {
  readonly key: Key;
  readonly given: string;
  readonly expected: string;
}

/**
 * Which listeners ask for an address that an earlier one has taken. When one socket listens on
 * every address and another on a single one, with the same port, the kernel refuses the second.
 * Names are not looked up, except `localhost`: a conflict of names shows at the start.
 */
export function listenOverlaps<Key extends string>(
  keys: readonly ListenKey<Key>[],
): ListenOverlap<Key>[] {
  return keys.flatMap(({ key, address }, index) => {
    const other = keys.slice(0, index).find((before) => overlap(before.address, address));
    if (other === undefined) return [];
    const [given, taken] = [formatAddress(address), formatAddress(other.address)];
    const expected =
      given === taken
        ? `another address than ${other.key}`
        : `another port than ${other.key} (${taken}), with which it overlaps`;
    return [{ key, given, expected }];
  });
}

function overlap(one: ListenAddress, other: ListenAddress): boolean {
  if (one.port !== other.port || one.port === 0) return false;
  const [a, b] = [canonicalHost(one.host), canonicalHost(other.host)];
  return a === b || takesIn(a, b) || takesIn(b, a);
}

/** Whether a socket on the first is one on the second as well. */
function takesIn(host: string, other: string): boolean {
  // Linux has sockets on :: serve IPv4, too, and neither Node nor uWebSockets.js has it otherwise.
  if (host === '::') return true;
  if (host === '0.0.0.0') return !other.includes(':') || other === '::';
  // `localhost` may be the IPv4 or the IPv6 address.
  return host === 'localhost' && (other === '127.0.0.1' || other === '::1');
}

/** One text for all that mean the same, such as `[0::0]` and `[::]`, or `127.1` and `127.0.0.1`. */
function canonicalHost(host: string): string {
  const url = `http://${host.includes(':') ? `[${host}]` : host}`;
  if (!URL.canParse(url)) return host.toLowerCase();
  const { hostname } = new URL(url);
  const plain = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(plain);
  if (mapped === null) return plain;
  const [high, low] = mapped.slice(1).map((group) => parseInt(group, 16));
  return [high, low].flatMap((word = 0) => [word >> 8, word & 255]).join('.');
}
