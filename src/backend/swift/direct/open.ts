import { ConfigError } from '../../../config/problem.js';
import { openClusterRings, type ClusterFiles } from '../../../ring/cluster.js';
import type { RingState } from '../../../ring/ring-set.js';
import type { SwiftTransport } from '../transport.js';
import { parseAffinity } from './affinity.js';
import { DirectTransport, type DirectDeps } from './direct-transport.js';
import { StorageNodes, type NodeOptions } from './storage-nodes.js';

export interface DirectOptions extends Omit<NodeOptions, 'requestsMax'>, ClusterFiles {
  /** See parseAffinity. */
  readonly readAffinity: string;
  readonly hedgeMs: number;
  /** How often the ring files are looked at; by default as often as Swift does. */
  readonly ringsCheckMs?: number | undefined;
  readonly onRead?: DirectDeps['onRead'];
  readonly onHedgeWon?: DirectDeps['onHedgeWon'];
  /** Called with each ring at first, and when it is replaced, cannot be, or is well again. */
  readonly onRing?: ((state: RingState) => void) | undefined;
}

export interface OpenedDirect {
  readonly transport: SwiftTransport;
  rings(): readonly RingState[];
}

/** Beyond so many reads under way in one process, proxies are asked. */
const REQUESTS_MAX = 1024;

/**
 * @param proxies closed with it
 * @throws ConfigError when swift.conf or a ring cannot be used
 */
export async function openDirect(
  proxies: SwiftTransport,
  options: DirectOptions,
): Promise<OpenedDirect> {
  const { hedgeMs, onRead, onHedgeWon, onRing = () => undefined } = options;
  const affinity = parseAffinity(options.readAffinity);
  if (affinity === undefined) {
    const expected = 'rules such as r1z1=100, r2=200';
    throw new ConfigError([{ source: 'file', key: 'swift_read_affinity', expected }]);
  }
  const nodes = new StorageNodes({ ...options, requestsMax: REQUESTS_MAX });
  const { rings, policies, hash } = await openClusterRings(options, {
    onChange: (state) => {
      nodes.keep(rings.devices());
      onRing(state);
    },
  });
  for (const state of rings.states()) onRing(state);
  const unwatch = rings.watch(options.ringsCheckMs);
  const direct = new DirectTransport({
    proxies,
    nodes,
    rings,
    hash,
    policies,
    affinity,
    hedgeMs,
    onRead,
    onHedgeWon,
  });
  return {
    transport: {
      request: (request) => direct.request(request),
      info: () => direct.info(),
      ping: (context) => direct.ping(context),
      close: () => {
        unwatch();
        return direct.close();
      },
    },
    rings: () => rings.states(),
  };
}
