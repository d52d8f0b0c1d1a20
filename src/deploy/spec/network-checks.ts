import type { SpecNode } from './schema.js';

type Report = (path: readonly PropertyKey[], code: string, message: string) => void;

const DEFAULT_PROXY_PORT = 8080;

/** Addresses on which two servers would listen. */
export function networkProblems(
  nodes: readonly { readonly at: number; readonly value: SpecNode }[],
  raw: Readonly<Record<string, unknown>>,
  report: Report,
): void {
  const taken = new Map<string, string>();
  const take = (address: string, path: readonly PropertyKey[], what: string): void => {
    const before = taken.get(address);
    if (before !== undefined && before !== what) {
      report(path, 'duplicate_address', `${what} would be at ${address}, as ${before} is`);
    }
    taken.set(address, before ?? what);
  };
  const [first] = nodes;
  const gateway = recordOf(raw.gateway);
  const proxyPort = portOf(recordOf(raw.proxy), 'port', DEFAULT_PROXY_PORT);
  for (const { at, value } of nodes) {
    const { name, roles, ports, storage_ip: ip, replication_ip: replication = ip } = value;
    const place = ['nodes', at];
    // The ring leads to rsync by an address alone: the port is in the configuration of the sender.
    if (first !== undefined && ports.rsync !== first.value.ports.rsync) {
      const message = `expected ${first.value.ports.rsync}, as for ${first.value.name}: all nodes have one port of rsync`;
      report([...place, 'ports', 'rsync'], 'rsync_port', message);
    }
    for (const role of roles) {
      if (role === 'account' || role === 'container' || role === 'object') {
        take(`${ip}:${ports[role]}`, [...place, 'ports', role], `the ${role} server of ${name}`);
        take(`${replication}:${ports.rsync}`, [...place, 'ports', 'rsync'], `rsync of ${name}`);
      }
      if (role === 'proxy') {
        take(`${ip}:${proxyPort}`, [...place, 'storage_ip'], `the proxy of ${name}`);
        const memcached = [...place, 'ports', 'memcached'];
        take(`${ip}:${ports.memcached}`, memcached, `memcached of ${name}`);
        if (gateway !== undefined) {
          const s3 = portOf(gateway, 's3_port', 8000);
          take(`${ip}:${s3}`, [...place, 'storage_ip'], `the gateway of ${name}`);
        }
      }
    }
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function portOf(
  from: Readonly<Record<string, unknown>> | undefined,
  key: string,
  otherwise: number,
): number {
  const given = from?.[key];
  return typeof given === 'number' ? given : otherwise;
}
