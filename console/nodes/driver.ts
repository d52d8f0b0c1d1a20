import type { ConsoleOptions } from '../config/load.js';

/** The console's description of a storage node: an entry of `cluster_nodes`. */
export type ClusterNode = ConsoleOptions['clusterNodes'][number];

/**
 * - `stop`: SIGTERM, 15 s later SIGKILL to what is still that service
 * - `pause`, `resume`: SIGSTOP and SIGCONT to the service with its children
 * - `kill_child`: SIGKILL to one child of the service, never to its parent
 */
export type ServiceVerb = 'start' | 'stop' | 'pause' | 'resume' | 'kill_child';

/** The state of a service, as its driver knows it. `absent`: the node has no such service. */
export interface ServiceStatus {
  readonly name: string;
  readonly state: 'active' | 'paused' | 'inactive' | 'failed' | 'unknown' | 'absent';
  readonly pid: number | null;
}

/** The effect of a verb: none, where the service was in that state already. */
export interface ServiceChange {
  readonly changed: boolean;
}

/** A service could not be changed, or what it is cannot be known. */
export class DriverError extends Error {
  override readonly name = 'DriverError';

  constructor(
    /** `unsupported`: this driver, or this service, has no such verb. */
    readonly code: 'unsupported' | 'unknown_service' | 'unreachable' | 'failed' | 'no_children',
    message: string,
  ) {
    super(message);
  }
}

/**
 * Stops and starts services of storage nodes. Each verb is a fixed list of arguments; the node comes
 * from `cluster_nodes`, and the service is one that the driver knows: nothing is free-form.
 */
export interface NodeDriver {
  /** The names of the services that this driver may know on the node. */
  services(node: ClusterNode): readonly string[];

  /** @throws DriverError unreachable, where the node does not answer */
  status(node: ClusterNode, services: readonly string[]): Promise<ServiceStatus[]>;

  /** May be called again after it has succeeded. @throws DriverError */
  act(node: ClusterNode, service: string, verb: ServiceVerb): Promise<ServiceChange>;

  /**
   * Runs one pass of a daemon to its end: its arguments, `once`, and `extra`.
   * @throws DriverError, also where it takes longer than `timeoutMs` or ends with another status
   */
  once(
    node: ClusterNode,
    service: string,
    extra: readonly string[],
    timeoutMs: number,
  ): Promise<void>;
}
