import type { ConsoleOptions } from '../config/load.js';
import { parseUpstream, type UpstreamAddress } from './address.js';

type ProxyOptions = Pick<ConsoleOptions, 'storeBase' | 'proxyBases'>;

/**
 * Where the store is reached: `store_base`, and where that does not answer any of the proxies of
 * `proxy_bases` that has the same scheme and path: none of them is asked in the clear what `store_base`
 * is asked over TLS.
 */
export function storeAddresses(options: ProxyOptions): UpstreamAddress[] {
  return storeUrls(options).map(parseUpstream);
}

/** Where users log in: at each proxy, where one of them has the login; otherwise at `auth_url` alone. */
export function authAddresses({
  authUrl,
  ...options
}: ProxyOptions & Pick<ConsoleOptions, 'authUrl'>): UpstreamAddress[] {
  const auth = new URL(authUrl);
  const urls = storeUrls(options);
  if (!urls.some((url) => new URL(url).origin === auth.origin)) return [parseUpstream(authUrl)];
  const others = urls.map((url) => new URL(url).origin).filter((origin) => origin !== auth.origin);
  return [auth.origin, ...others].map((origin) => parseUpstream(`${origin}${auth.pathname}`));
}

function storeUrls({ storeBase, proxyBases }: ProxyOptions): string[] {
  const { protocol, origin } = new URL(storeBase);
  const { basePath } = parseUpstream(storeBase);
  const others = proxyBases.filter(
    (url) => new URL(url).protocol === protocol && parseUpstream(url).basePath === basePath,
  );
  const byOrigin = new Map(others.map((url) => [new URL(url).origin, url] as const));
  byOrigin.delete(origin);
  return [storeBase, ...byOrigin.values()];
}
