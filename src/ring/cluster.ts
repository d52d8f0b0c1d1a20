import { join } from 'node:path';
import { PathHash } from './path-hash.js';
import type { Policies } from './policy.js';
import { RingSet, type RingSetOptions } from './ring-set.js';
import { readSwiftConf } from './swift-conf.js';

/** Where a cluster's rings and its swift.conf are. */
export interface ClusterFiles {
  readonly ringsDir: string;
  /** Empty: swift.conf beside the rings. */
  readonly swiftConf: string;
}

/** All that it takes to say which servers have something. */
export interface ClusterRings {
  readonly rings: RingSet;
  readonly policies: Policies;
  readonly hash: PathHash;
}

/** @throws ConfigError with a line for each file that cannot be used */
export async function openClusterRings(
  { ringsDir, swiftConf }: ClusterFiles,
  options: Pick<RingSetOptions, 'onChange'> = {},
): Promise<ClusterRings> {
  const file = swiftConf === '' ? join(ringsDir, 'swift.conf') : swiftConf;
  const { policies, salt } = await readSwiftConf(file);
  const rings = await RingSet.open({ directory: ringsDir, policies, ...options });
  return { rings, policies, hash: new PathHash(salt) };
}
