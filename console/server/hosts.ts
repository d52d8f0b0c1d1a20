import type { ListenAddress } from '../../src/config/options.js';
import { formatAddress } from '../../src/config/options.js';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The values of `Host` that are answered. A page of somebody else whose name is made to point at
 * this address (DNS rebinding) says its own name, and gets nothing.
 *
 * @param bind with the port that was taken
 */
export function allowedHosts(
  bind: ListenAddress,
  configured: readonly string[],
): ReadonlySet<string> {
  return new Set([
    formatAddress(bind).toLowerCase(),
    ...LOOPBACK.map((host) => `${host}:${bind.port}`),
    ...configured,
  ]);
}
