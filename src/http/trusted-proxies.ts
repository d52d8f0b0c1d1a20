import { BlockList, isIP } from 'node:net';
import { parseCidr } from '../lib/cidr.js';
import type { RequestHead } from './exchange.js';

/**
 * Which peers are proxies of our own, and what they say of the clients behind them. The headers
 * `X-Forwarded-*` count from a trusted peer alone: anybody can send them.
 */

/** Verdicts that are remembered, by address: a look-up in the list costs more than one in a map. */
const KNOWN_MAX = 4096;
/** Entries of X-Forwarded-For that are read; no chain of proxies is longer. */
const HOPS_MAX = 32;

export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #known = new Map<string, boolean>();
  /** Whether no proxy is trusted. */
  readonly none: boolean;

  /**
   * @param ownScheme - what the port itself speaks
   * @throws TypeError for what {@link parseCidr} refuses
   */
  constructor(
    cidrs: readonly string[],
    private readonly ownScheme: 'http' | 'https' = 'http',
  ) {
    this.none = cidrs.length === 0;
    for (const text of cidrs) {
      const cidr = parseCidr(text);
      if (cidr === undefined) throw new TypeError(`${text} is no network`);
      this.#list.addSubnet(cidr.address, cidr.prefix, familyOf(cidr.address));
    }
  }

  /**
   * The host that the client addressed, by the proxy that it came through.
   * @returns undefined when no trusted proxy names one
   */
  forwardedHost(request: RequestHead): string | undefined {
    return this.#lastOf(request, 'x-forwarded-host');
  }

  /** `http` or `https`: what the client speaks, by a trusted proxy, or else by the port. */
  scheme(request: RequestHead): 'http' | 'https' {
    const scheme = this.#lastOf(request, 'x-forwarded-proto')?.toLowerCase();
    if (scheme === undefined) return this.ownScheme;
    return scheme === 'https' ? 'https' : 'http';
  }

  /**
   * The client's address: read from the right, where each trusted proxy has written its own peer,
   * to the first one that is not trusted. Anybody may have written the text left of it.
   */
  clientAddress(request: RequestHead): string {
    let address = request.remoteAddress;
    if (this.none || !this.#isTrusted(address)) return address;
    const chain = request.headers.get('x-forwarded-for') ?? '';
    let end = chain.length;
    for (let hop = 0; hop < HOPS_MAX && end > 0; hop++) {
      const comma = chain.lastIndexOf(',', end - 1);
      const next = addressIn(chain.slice(comma + 1, end));
      if (next === undefined) break;
      address = next;
      if (!this.#isTrusted(address)) break;
      end = comma;
    }
    return address;
  }

  /** The last value is the one that the nearest proxy wrote; those before it may be the client's. */
  #lastOf(request: RequestHead, header: string): string | undefined {
    if (this.none) return undefined;
    const value = request.headers.get(header);
    if (value === undefined || !this.#isTrusted(request.remoteAddress)) return undefined;
    const last = value.slice(value.lastIndexOf(',') + 1).trim();
    return last === '' ? undefined : last;
  }

  #isTrusted(address: string): boolean {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const trusted = isIP(address) !== 0 && this.#list.check(address, familyOf(address));
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(address, trusted);
    return trusted;
  }
}

const MAPPED_IPV4 = /^::ffff:(?=\d+\.)/i;
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

/** One entry of X-Forwarded-For; some proxies write the port too, and brackets. */
function addressIn(entry: string): string | undefined {
  const text = entry.trim();
  const match = WITH_PORT.exec(text);
  const address = (match?.[1] ?? match?.[2] ?? text).replace(MAPPED_IPV4, '');
  return isIP(address) === 0 ? undefined : address;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
