import { isIP } from 'node:net';

/** A network of IP addresses. */
export interface Cidr {
  readonly address: string;
  /** Bits that all its addresses have in common. */
  readonly prefix: number;
}

/** `192.0.2.0/24`, `2001:db8::/32`, or an address by itself. @returns undefined for anything else */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', prefixText, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return undefined;
  const bits = family === 4 ? 32 : 128;
  if (prefixText === undefined) return { address, prefix: bits };
  const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : NaN;
  return prefix <= bits ? { address, prefix } : undefined;
}
