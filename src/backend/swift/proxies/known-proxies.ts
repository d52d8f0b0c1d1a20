import { isIPv6 } from 'node:net';
import type { ProxyPlace, ProxySource } from './proxy-look.js';

/** Where proxies are, by what is configured, and where they may be. */
export interface ProxySources {
  /** Addresses of proxies, with scheme and port. */
  readonly addresses: readonly ProxyPlace[];
  /** Hosts that have a proxy, or may have one, at a port that others have it at. */
  readonly hosts: readonly { readonly host: string; readonly source: ProxySource }[];
  /** A port beside those of the addresses, where there is one. */
  readonly port?: number | undefined;
}

/** More is a mistake of configuration. */
const PLACES_MAX = 1_000;

/** Each place once, with the surest source that names it. */
export function knownProxies({ addresses, hosts, port }: ProxySources): readonly ProxyPlace[] {
  const places = new Map<string, ProxyPlace>();
  const add = (url: string, source: ProxySource): void => {
    const { origin } = new URL(url);
    if (!places.has(origin) && places.size < PLACES_MAX)
      places.set(origin, { url: origin, source });
  };
  for (const { url, source } of addresses) add(url, source);
  const ends = new Set(
    addresses.map(({ url }) => {
      const { protocol, port: at } = new URL(url);
      return `${protocol}${at}`;
    }),
  );
  if (port !== undefined) ends.add(`http:${port}`);
  for (const { host, source } of hosts) {
    for (const end of ends) {
      const [protocol = 'http', at = ''] = end.split(':');
      add(`${protocol}://${isIPv6(host) ? `[${host}]` : host}${at === '' ? '' : `:${at}`}`, source);
    }
  }
  return [...places.values()];
}
