import { isIPv6 } from 'node:net';
import type { Spec, SpecNode, TunedSection } from '../spec/schema.js';
import type { Option } from './files.js';

/** A node to render files for. */
export interface Host {
  readonly spec: Spec;
  readonly node: SpecNode;
  /** The folder of the node's files, as its programs see it: empty for `/`. */
  readonly root: string;
}

export function hasRole({ node }: Host, role: SpecNode['roles'][number]): boolean {
  return node.roles.includes(role);
}

/** `host:port`, with brackets around IPv6. */
export function hostPort(ip: string, port: number): string {
  return isIPv6(ip) ? `[${ip}]:${port}` : `${ip}:${port}`;
}

/** Where proxies listen, that of a node first, the others in the order of the specification. */
export function proxyNodes({ spec, node }: Host): SpecNode[] {
  const proxies = spec.nodes.filter(({ roles }) => roles.includes('proxy'));
  return [
    ...proxies.filter(({ name }) => name === node.name),
    ...proxies.filter(({ name }) => name !== node.name),
  ];
}

/** Every memcached, in one order on all nodes: a name belongs to one of them. */
export function memcacheServers({ nodes }: Spec): string {
  return nodes
    .filter(({ roles }) => roles.includes('proxy'))
    .map(({ storage_ip: ip, ports }) => hostPort(ip, ports.memcached))
    .join(',');
}

/** Whether only this machine reaches an address. */
export function isLoopbackIp(ip: string): boolean {
  return ip.startsWith('127.') || ip === '::1';
}

/** Options that servers read in `[DEFAULT]`; all others stand in the section of the app. */
const DEFAULT_OPTIONS =
  /^(?:workers|backlog|max_clients|servers_per_port|user|swift_dir|mount_check|client_timeout|disable_fallocate|fallocate_reserve|nice_priority|ionice_class|ionice_priority|eventlet_debug|expiring_objects_.*|log_.*)$/;

type Options = Readonly<Record<string, Option>>;

/** The `tuning` of a section of a server: the part for `[DEFAULT]`, and the part for the app. */
export function tunedServer(
  { spec }: Host,
  section: TunedSection,
): { readonly defaults: Options; readonly app: Options } {
  const all = Object.entries(spec.tuning[section] ?? {});
  const isDefault = ([option]: readonly [string, Option]) => DEFAULT_OPTIONS.test(option);
  return {
    defaults: Object.fromEntries(all.filter(isDefault)),
    app: Object.fromEntries(all.filter((entry) => !isDefault(entry))),
  };
}

export function tuned({ spec }: Host, section: TunedSection): Options {
  return spec.tuning[section] ?? {};
}
