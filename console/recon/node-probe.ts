import { numberAt } from '../../src/lib/swift-recon.js';
import * as facts from './node-facts.js';
import type { ReconAnswer, ReconClient } from './recon-client.js';
import type { RingDevice, RingFile, ServerType } from './ring-devices.js';

/** A server of Swift on a node: one for each type and port. */
export interface NodeServer {
  readonly type: ServerType;
  readonly ip: string;
  readonly port: number;
}

export interface NodeTarget {
  readonly name: string;
  readonly servers: readonly NodeServer[];
}

/** The findings about a node; undefined is unknown. */
export interface NodeState {
  readonly name: string;
  readonly online: boolean;
  readonly services: readonly { readonly name: string; readonly up: boolean }[];
  /** The offset of its clock from the console's. */
  readonly skewS?: number | undefined;
  readonly async?: ReturnType<typeof facts.asyncPending> | undefined;
  readonly quarantined?: ReadonlyMap<string, number> | undefined;
  readonly replication: readonly {
    readonly type: ServerType;
    readonly passS?: number | undefined;
    readonly lastUnixS?: number | undefined;
    /** The share of the suffixes of objects that the last pass pushed to other nodes. */
    readonly pushedShare?: number | undefined;
  }[];
  /** The length of the object-updater's last sweep. */
  readonly updaterSweepS?: number | undefined;
  readonly disks?: readonly facts.DiskFacts[] | undefined;
  /** Its devices are no mounts, and are not meant to be. */
  readonly areFolders?: boolean | undefined;
  readonly unmounted?: number | undefined;
  readonly ringMismatches?: number | undefined;
  readonly expirer?: string | undefined;
}

/** The servers of a node, as the rings have them. */
export function serversOf(devices: readonly RingDevice[], ips: readonly string[]): NodeServer[] {
  const servers = new Map<string, NodeServer>();
  for (const { type, ip, port } of devices) {
    if (ips.includes(ip)) servers.set(`${type} ${ip} ${port}`, { type, ip, port });
  }
  return [...servers.values()];
}

/** Asks a node for all that recon knows. @param now in ms */
export async function probeNode(
  client: Pick<ReconClient, 'ask' | 'serves'>,
  { name, servers }: NodeTarget,
  rings: readonly RingFile[],
  now: () => number,
): Promise<NodeState> {
  const times = await Promise.all(
    servers.map(async (server) => {
      const beforeMs = now();
      const answer = await client.ask(server.ip, server.port, 'time');
      return { server, answer, middleMs: (beforeMs + now()) / 2 };
    }),
  );
  const answering = times.filter(({ answer }) => isUp(answer));
  const clock = answering.find(({ answer }) => answer.kind === 'json');
  const base = {
    name,
    online: times.some(({ answer }) => answer.kind !== 'silent'),
    services: times.map(({ server, answer }) => ({
      name: serviceName(server, servers),
      up: isUp(answer),
    })),
  };
  if (clock === undefined) return { ...base, replication: [] };
  const remoteS =
    typeof jsonOf(clock.answer) === 'number' ? Number(jsonOf(clock.answer)) : undefined;
  return {
    ...base,
    skewS: remoteS === undefined ? undefined : remoteS - clock.middleMs / 1000,
    ...(await details(
      client,
      answering.map(({ server }) => server),
      rings,
    )),
  };
}

async function details(
  client: Pick<ReconClient, 'ask' | 'serves'>,
  servers: readonly NodeServer[],
  rings: readonly RingFile[],
) {
  // All servers of a host share what recon remembers; some of it only object servers look at.
  const any = servers.find(({ type }) => type === 'object') ?? servers[0];
  const ask = async (what: string, server = any): Promise<unknown> =>
    server === undefined ? undefined : jsonOf(await client.ask(server.ip, server.port, what));
  const [pending, quarantine, usage, notMounted, md5s, expirer, updater] = await Promise.all(
    [
      'async',
      'quarantined',
      'diskusage',
      'unmounted',
      'ringmd5',
      'expirer/object',
      'updater/object',
    ].map((what) => ask(what)),
  );
  const found = usage === undefined ? undefined : facts.disks(usage);
  const areFolders = await hasFolders(client, servers, found ?? []);
  const disks = areFolders ? found?.map((disk) => ({ ...disk, mounted: null })) : found;
  const types = [...new Set(servers.map(({ type }) => type))];
  const replication = await Promise.all(
    types.map(async (type) => {
      const server = servers.find((one) => one.type === type);
      return { type, ...facts.replication(type, await ask(`replication/${type}`, server)) };
    }),
  );
  return {
    async: pending === undefined ? undefined : facts.asyncPending(pending),
    quarantined: quarantine === undefined ? undefined : facts.quarantined(quarantine),
    replication,
    disks,
    areFolders,
    unmounted: areFolders ? 0 : facts.unmounted(notMounted),
    ringMismatches: facts.ringMismatches(md5s, rings),
    expirer: facts.expirerState(expirer),
    updaterSweepS: numberAt(updater, 'object_updater_sweep'),
  };
}

/**
 * Whether the devices of a node are plain folders on purpose (`mount_check = false`), as in demos: recon
 * calls those not mounted whatever the servers are told. Where one of them is mounted, the others have
 * lost their disks.
 */
async function hasFolders(
  client: Pick<ReconClient, 'serves'>,
  servers: readonly NodeServer[],
  disks: readonly facts.DiskFacts[],
): Promise<boolean> {
  const server = servers.find(({ type }) => type === 'object');
  const [first] = disks;
  if (server === undefined || first === undefined) return false;
  if (disks.some(({ mounted }) => mounted === true)) return false;
  return (await client.serves(server.ip, server.port, first.device)) === true;
}

/** The name of a service, with its port if a node has several of the type. */
function serviceName({ type, port }: NodeServer, servers: readonly NodeServer[]): string {
  const alone = servers.filter((one) => one.type === type).length === 1;
  return alone ? type : `${type} ${port}`;
}

function isUp({ kind }: ReconAnswer): boolean {
  return kind === 'json' || kind === 'other';
}

function jsonOf(answer: ReconAnswer): unknown {
  return answer.kind === 'json' ? answer.json : undefined;
}
