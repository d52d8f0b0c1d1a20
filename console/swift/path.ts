import { encodeUriComponentAws, encodeUriPath } from '../../src/lib/uri.js';

/** The target of a request to Swift; without a container it is the account. */
export interface SwiftTarget {
  readonly container?: string | undefined;
  readonly object?: string | undefined;
}

export type SwiftQuery = Readonly<Record<string, string | number | undefined>>;

/**
 * The raw path of a target, encoded by hand: Swift stores `a/../b`, `a//b` and `/a` as objects of
 * their own, and every URL class of Node makes other objects of them.
 */
export function swiftPath(account: string, target: SwiftTarget, query: SwiftQuery = {}): string {
  let path = `/v1/${encodeUriComponentAws(account)}`;
  if (target.container !== undefined) path += `/${encodeUriComponentAws(target.container)}`;
  if (target.object !== undefined) path += `/${encodeUriPath(target.object)}`;
  const parameters = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (value === '' ? name : `${name}=${encodeUriComponentAws(`${value}`)}`));
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
}

/** `/container/object` as headers (`Destination`) and bulk deletion take it: encoded. */
export function swiftName(container: string, object: string): string {
  return `/${encodeUriComponentAws(container)}/${encodeUriPath(object)}`;
}
