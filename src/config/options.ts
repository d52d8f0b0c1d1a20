import type { Config } from './schema.js';

/** Where to listen. Port 0 asks for any free port. */
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
 * data: it crosses to the listeners as JSON. What each key means is said once, in schema.ts.
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
