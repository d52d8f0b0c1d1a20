import { BlockList, isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import { parseCidr } from '../../src/lib/cidr.js';

/** The client of a request: forwarding headers count from the configured proxies alone. */
export interface ClientView {
  readonly address: string;
  readonly scheme: 'http' | 'https';
  /** The host as the browser sent it, in lower case. */
  readonly host: string;
}

export class ClientViews {
  readonly #trusted = new BlockList();

  constructor(trustedProxies: readonly string[]) {
    for (const text of trustedProxies) {
      const cidr = parseCidr(text);
      if (cidr !== undefined)
        this.#trusted.addSubnet(cidr.address, cidr.prefix, family(cidr.address));
    }
  }

  of(request: IncomingMessage): ClientView {
    const peer = plain(request.socket.remoteAddress ?? '');
    const host = (request.headers.host ?? '').toLowerCase();
    if (!this.#isTrusted(peer)) return { address: peer, scheme: 'http', host };
    const forwardedHost = last(request.headers['x-forwarded-host']);
    return {
      address: this.#firstUntrusted(request.headers['x-forwarded-for'], peer),
      scheme: last(request.headers['x-forwarded-proto']) === 'https' ? 'https' : 'http',
      host: forwardedHost === '' ? host : forwardedHost,
    };
  }

  /** Read from the right, where each proxy has written its own peer. */
  #firstUntrusted(forwarded: string | string[] | undefined, peer: string): string {
    const hops = String(forwarded ?? '').split(',');
    let address = peer;
    for (const hop of hops.reverse()) {
      const next = plain(hop.trim());
      if (isIP(next) === 0) return address;
      address = next;
      if (!this.#isTrusted(next)) return address;
    }
    return address;
  }

  /** Whether the peer of a connection is a proxy, which has the connections of many clients. */
  isProxy(address: string): boolean {
    return this.#isTrusted(plain(address));
  }

  #isTrusted(address: string): boolean {
    return isIP(address) !== 0 && this.#trusted.check(address, family(address));
  }
}

/** The network of an address: a client with one IPv6 address has the 2^64 beside it. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...after];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** An IPv4 address in IPv6 form is that IPv4 address. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function last(header: string | string[] | undefined): string {
  const all = String(header ?? '').split(',');
  return (all.at(-1) ?? '').trim().toLowerCase();
}
