import { isIP } from 'node:net';
import { formatAddress, type ListenAddress } from './options.js';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** Groups: the name or address, the port. */
const HOST = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/;

/**
 * The values of `Host` that a port answers. This stops DNS rebinding: the page of an attacker whose
 * name was made to point at this port has its browser send that name, and is refused.
 */
export class AllowedHosts {
  readonly #hosts: ReadonlySet<string>;

  /**
   * @param bind with the port that was taken
   * @param configured as clients send them, in lower case
   */
  constructor(bind: ListenAddress, configured: readonly string[]) {
    this.#hosts = new Set([
      formatAddress(bind).toLowerCase(),
      ...LOOPBACK.map((host) => `${host}:${bind.port}`),
      ...configured,
    ]);
  }

  /** @param host in lower case */
  has(host: string): boolean {
    return this.#hosts.has(host);
  }

  /**
   * The same for clients that are no browsers, which reach the port in other ways too: through a
   * tunnel, by any address of the machine. An address is no name that could be made to point here.
   * @param host of any case; undefined when there is none, which no browser leaves out
   */
  hasOrIsAddress(host: string | undefined): boolean {
    if (host === undefined) return true;
    const given = host.toLowerCase();
    const name = HOST.exec(given)?.[1] ?? '';
    if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || name === 'localhost') return true;
    return this.#hosts.has(given) || this.#hosts.has(name);
  }
}
