import { missingOf } from '../ground/refusals.js';

/** A fault as a card of the page shows it. */
export interface CatalogueItem {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** The reaction of a healthy Swift, as measured. */
  readonly expect: string;
  /** How it is taken back. */
  readonly revert: string;
  readonly modes: readonly Choice[];
  readonly targets: readonly Choice[];
  readonly hold_s: number;
  readonly hold_s_max: number;
  readonly repair_target_s: number;
  /** The requirement that is missing to try it here; null where none is. */
  readonly needs: string | null;
}

export interface Choice {
  readonly id: string;
  readonly label: string;
}

/** The facts of the cluster that decide which faults are offered. */
export interface CatalogueFacts {
  readonly has_mutations: boolean;
  /** `node_driver`; `none` where there is none. */
  readonly driver: string;
  readonly has_roster: boolean;
  readonly has_rings: boolean;
  /** Services that the driver may stop, with the node of each. */
  readonly services: readonly { readonly node: string; readonly service: string }[];
  /** Whether the driver can hold a process still. */
  readonly pauses: boolean;
  readonly has_local_devices: boolean;
  /** Whether the store says that it has quotas of containers. */
  readonly has_quotas: boolean;
  readonly replicas: number;
  /** Workers of the proxy that the driver sees; null where it sees none. */
  readonly proxy_workers: number | null;
}

export const TTL_S = { min: 10, max: 900, default: 120 } as const;
/** A fault begins so long after the end of the one before: proxies leave out servers for as long. */
export const COOLDOWN_S = 60;
export const STORAGE_SERVICES = ['account-server', 'container-server', 'object-server'] as const;

const NO_MODES: readonly Choice[] = [];

/** All faults, with what each needs that is not there. Those without `needs` can be tried. */
export function catalogueOf(facts: CatalogueFacts): CatalogueItem[] {
  const general = missingOf({
    lab_mutations: facts.has_mutations,
    cluster_nodes: facts.has_roster,
    store_dir: facts.has_rings,
  });
  return [...serviceFaults(facts), ...objectFaults(facts), ...NEVER].map((item) => {
    const needs = [general, item.needs].filter((text) => text !== null).join(', ');
    return { ...item, needs: needs === '' ? null : needs };
  });
}

function serviceFaults(facts: CatalogueFacts): CatalogueItem[] {
  const { services, driver, pauses, proxy_workers: workers } = facts;
  const drives = driver === 'none' ? 'node_driver' : null;
  const storage = services.filter(({ service }) =>
    (STORAGE_SERVICES as readonly string[]).includes(service),
  );
  const caches = services.filter(({ service }) => service === 'memcached');
  const proxies = services.filter(({ service }) => service === 'proxy-server');
  const isOnlyCache = caches.length === 1 && driver !== 'local-procs';
  const noStorage = 'a storage server that the driver can stop';
  return [
    {
      id: 'stop_service',
      title: 'Stop a server',
      summary: 'Stops one storage server of a node, as a crash would.',
      expect:
        'Every write is acknowledged: object servers hand off to other nodes, and each PUT leaves an update that waits for each container server that is away. Replicators and updaters put all of it right.',
      revert: 'The server is started again.',
      modes: NO_MODES,
      targets: storage.map(targetOf),
      ...{ hold_s: 30, hold_s_max: 600, repair_target_s: 60 },
      needs: drives ?? (storage.length === 0 ? noStorage : null),
    },
    {
      id: 'pause_node',
      title: 'Slow node',
      summary: 'Holds a storage server still, whole or 400 ms of each second, as a bad disk would.',
      expect:
        'Slow is worse than dead: requests that meet a server that stands still wait 10 s (node_timeout). After 10 such errors a proxy leaves it out for a minute.',
      revert: 'The server goes on.',
      modes: [
        { id: 'slow', label: '400 ms of each second' },
        { id: 'full', label: 'Whole, for at most 15 s' },
      ],
      targets: storage.map(targetOf),
      ...{ hold_s: 20, hold_s_max: 120, repair_target_s: 60 },
      needs:
        drives ??
        (storage.length === 0
          ? noStorage
          : pauses
            ? null
            : 'a node_driver that can hold a process'),
    },
    {
      id: 'drop_memcached',
      title: 'Lose memcached',
      summary: 'Stops a memcached, and with it the tokens that it has.',
      expect:
        'With tempauth, tokens answer 401 and logins 503 while the only memcached is away. Afterwards old tokens stay unknown, and a login gives new ones.',
      revert: 'memcached is started again.',
      modes: NO_MODES,
      targets: isOnlyCache ? [] : caches.map(targetOf),
      ...{ hold_s: 15, hold_s_max: 120, repair_target_s: 30 },
      needs:
        drives ??
        (caches.length === 0
          ? 'a service memcached in cluster_nodes'
          : isOnlyCache
            ? 'another memcached: it is the only one'
            : null),
    },
    {
      id: 'kill_worker',
      title: 'Kill a worker of a proxy',
      summary: 'Ends one worker of a proxy with SIGKILL; never its parent.',
      expect:
        'The parent starts another one within two seconds. Requests of that worker break off.',
      revert: 'Nothing is left to do: the parent starts another worker by itself.',
      modes: NO_MODES,
      targets: proxies.map(targetOf),
      ...{ hold_s: 10, hold_s_max: 60, repair_target_s: 5 },
      needs:
        drives ??
        (proxies.length === 0
          ? 'a service proxy-server in cluster_nodes'
          : (workers ?? 0) < 2
            ? 'a proxy with two workers or more (workers in proxy-server.conf)'
            : null),
    },
  ];
}

function objectFaults({
  has_local_devices: hasDevices,
  has_quotas: hasQuotas,
  replicas,
}: CatalogueFacts): CatalogueItem[] {
  const copies = Array.from({ length: replicas }, (_, index) => ({
    id: `replica-${index}`,
    label: `Replica ${index + 1} of an object of the Lab`,
  }));
  const devices = hasDevices ? null : 'node_root with the devices of this machine';
  return [
    {
      id: 'corrupt_replica',
      title: 'Corrupt a replica',
      summary: 'Changes one byte of one copy of an object that the Lab has made; its size stays.',
      expect:
        'HEAD and ranges still answer from the bad copy; a read of the whole object notices. The auditor puts the copy into quarantine, and a replicator of another copy brings a good one.',
      revert: 'The byte is put back, unless the copy is in quarantine.',
      modes: NO_MODES,
      targets: copies,
      ...{ hold_s: 60, hold_s_max: 600, repair_target_s: 60 },
      needs: devices,
    },
    {
      id: 'remove_replica',
      title: 'Remove a replica',
      summary: 'Takes one copy of an object that the Lab has made from its disk.',
      expect:
        'The next pass of the replicators brings it back. In silence, without the mark that Swift itself makes, they go by the hash that they remember, and do not notice.',
      revert: 'The copy is put back, or deleted where there is another one by now.',
      modes: [
        { id: 'marked', label: 'Mark the change, as Swift does' },
        { id: 'silent', label: 'In silence' },
      ],
      targets: copies,
      ...{ hold_s: 60, hold_s_max: 600, repair_target_s: 60 },
      needs: devices,
    },
    {
      id: 'fill_quota',
      title: 'Fill a quota',
      summary: 'Gives a container of the Lab a limit of bytes that one more object exceeds.',
      expect:
        'PUT answers 413 “Upload exceeds quota.”, at the latest when proxies have forgotten the old limit (60 s).',
      revert: 'The limit is removed.',
      modes: NO_MODES,
      targets: [{ id: 'container', label: 'A container of the Lab' }],
      ...{ hold_s: 15, hold_s_max: 120, repair_target_s: 70 },
      needs: hasQuotas ? null : 'container_quotas in the pipeline of the proxies',
    },
  ];
}

const never = (id: string, title: string, summary: string, needs: string): CatalogueItem => ({
  ...{ id, title, summary, expect: '', revert: '', modes: NO_MODES, targets: [] },
  ...{ hold_s: 0, hold_s_max: 0, repair_target_s: 0, needs },
});

/** The faults that are not offered, with the reason: better than a card that is missing. */
const NEVER: readonly CatalogueItem[] = [
  never(
    'slow_link',
    'Slow network',
    'Delays what goes between a proxy and a storage server.',
    'a relay between them: rings name the ports of the servers themselves',
  ),
  never(
    'slow_disk',
    'Slow disk',
    'Limits the bytes a second of a disk.',
    'systemd with cgroup v2, or dm-delay below the file system',
  ),
  never(
    'clock_dns_network',
    'Wrong clock, no DNS, a split network',
    'Nobody could be sure to put these back.',
    'a way to take it back that does not depend on what it breaks',
  ),
];

function targetOf({ node, service }: CatalogueFacts['services'][number]): Choice {
  return { id: `${node}/${service}`, label: `${service} on ${node}` };
}
