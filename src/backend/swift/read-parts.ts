import type { ContainerHeads } from './container-heads.js';
import type { SwiftInfo, SwiftTransport } from './transport.js';

/** What the reads, and the writes of containers, need of the rest of the backend. */
export interface ReadParts {
  readonly transport: SwiftTransport;
  readonly limits: SwiftInfo;
  readonly heads: ContainerHeads;
  /** Of containers that the gateway creates; undefined: the cluster's default. */
  readonly storagePolicy: string | undefined;
}
