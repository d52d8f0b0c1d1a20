import { SocketAddress } from 'node:net';
import type { HttpResponse } from './uws.js';

/** Addresses seen, by what the library gives: formatting costs more than looking up. */
const known = new Map<number | string, string>();
const KNOWN_MAX = 4096;

/** `::ffff:0:0/96` as the library writes it: IPv4 on a dual-stack socket. */
const MAPPED_IPV4_PREFIX = '0000:0000:0000:0000:0000:ffff:';

/** The socket's peer as text: dotted IPv4, also on a dual-stack socket; IPv6 as RFC 5952. */
export function remoteAddress(res: HttpResponse): string {
  const bytes = res.getRemoteAddress();
  if (bytes.byteLength === 4) return formatted(new DataView(bytes).getUint32(0), dotted);
  const text = Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
  if (!text.startsWith(MAPPED_IPV4_PREFIX)) return formatted(text, shortened);
  return formatted(new DataView(bytes).getUint32(12), dotted);
}

function formatted<Given extends number | string>(
  given: Given,
  format: (given: Given) => string,
): string {
  const seen = known.get(given);
  if (seen !== undefined) return seen;
  const text = format(given);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(given, text);
  return text;
}

function dotted(bits: number): string {
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
}

function shortened(text: string): string {
  return new SocketAddress({ address: text, family: 'ipv6' }).address;
}
