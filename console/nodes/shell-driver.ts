import {
  DriverError,
  type ClusterNode,
  type NodeDriver,
  type ServiceChange,
  type ServiceStatus,
  type ServiceVerb,
} from './driver.js';
import { NO_CHILDREN, NO_SERVICE, NO_UNIT } from './service-scripts.js';
import type { Shell, ShellResult } from './shell.js';
import { STORAGE_SERVICES } from './storage-services.js';

/** The scripts of a driver, by verb; verbs that it has no script for are unsupported. */
export type ServiceScripts = Readonly<
  { status: string } & Partial<Readonly<Record<ServiceVerb, string>>>
>;

const STATES: ReadonlyMap<string, ServiceStatus['state']> = new Map([
  ['active', 'active'],
  ['reloading', 'active'],
  ['inactive', 'inactive'],
  ['failed', 'failed'],
  ['absent', 'absent'],
]);
/** ssh itself, and not what it ran. */
const SSH_FAILED = 255;

/** Drives services by fixed scripts, on this host or by ssh on that of the node. */
export class ShellDriver implements NodeDriver {
  constructor(
    private readonly shell: Shell,
    private readonly scripts: ServiceScripts,
  ) {}

  services(): readonly string[] {
    return STORAGE_SERVICES;
  }

  async status(node: ClusterNode, services: readonly string[]): Promise<ServiceStatus[]> {
    for (const service of services) check(service);
    const { status, stdout } = await this.#run(node, this.scripts.status, services);
    if (status !== 0) throw failed(status);
    const lines = stdout.split('\n').map((line) => line.split(' '));
    return services.map((name) => {
      const [, state = '', pid = '0'] = lines.find(([service]) => service === name) ?? [];
      const known = STATES.get(state) ?? 'unknown';
      return { name, state: known, pid: Number(pid) > 0 ? Number(pid) : null };
    });
  }

  async act(node: ClusterNode, service: string, verb: ServiceVerb): Promise<ServiceChange> {
    check(service);
    const script = this.scripts[verb];
    if (script === undefined) throw unsupported(verb);
    const { status } = await this.#run(node, script, [service]);
    if (status === 0) return { changed: true };
    throw failed(status);
  }

  once(): Promise<void> {
    return Promise.reject(unsupported('a single pass'));
  }

  #run(node: ClusterNode, script: string, args: readonly string[]): Promise<ShellResult> {
    return this.shell(node.storage_ip, script, args);
  }
}

function check(service: string): void {
  if (STORAGE_SERVICES.includes(service)) return;
  throw new DriverError('unknown_service', `There is no service ${service}.`);
}

function unsupported(what: string): DriverError {
  return new DriverError('unsupported', `This node_driver does not know ${what}.`);
}

function failed(status: number | undefined): DriverError {
  if (status === undefined || status === SSH_FAILED) {
    return new DriverError('unreachable', 'The node cannot be reached, or took too long.');
  }
  if (status === NO_UNIT) return new DriverError('unknown_service', 'The node has no such unit.');
  if (status === NO_SERVICE) return new DriverError('failed', 'The service does not run.');
  if (status === NO_CHILDREN) {
    return new DriverError('no_children', 'The service has no processes besides its parent.');
  }
  return new DriverError('failed', `The service could not be changed (status ${status}).`);
}
