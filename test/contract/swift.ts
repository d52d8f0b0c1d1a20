import { readFileSync } from 'node:fs';
import { openSwiftBackend, openTransport } from '../../src/backend/swift/index.js';
import type { SwiftLab } from '../support/swift-lab.js';
import type { OpenBackend } from './fixture.js';

/**
 * The lab's cluster as a store. Nothing is cached: the tests ask for what they have just changed in
 * ways that a gateway does not.
 * @param withFilter false: as if its proxies had no filter
 */
export async function openCluster(lab: SwiftLab, withFilter = true): Promise<OpenBackend> {
  const { account, user, key } = lab.state.serviceUser;
  const secretFile = lab.gatewayKeys().swift_filter_secret_file as string;
  const transport = openTransport({
    endpoints: lab.state.endpoints,
    filterSecret: withFilter ? readFileSync(secretFile, 'utf8').trim() : undefined,
    credentialFor: () => ({ user: `${account}:${user}`, key }),
    // Tests ask for hundreds of things at once; a busy machine's memcached then knows no tokens.
    connectionsMax: 16,
    queueMax: 10_000,
    queueTimeoutMs: 60_000,
  });
  const backend = await openSwiftBackend({ transport, containerCacheMs: 0 });
  return { backend, close: () => backend.close() };
}
