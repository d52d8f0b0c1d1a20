import type { PlannedRings } from './plan.js';
import type { Manifest } from './manifest.js';

export type ActionKind =
  'ring.create' | 'ring.rebalance' | 'conf.render' | 'service.reload' | 'file.delete';

/** A thing that a plan does, as the control service answers it. */
export interface ActionJson {
  readonly id: string;
  readonly kind: ActionKind;
  /** A ring, a file, or a service. */
  readonly target: string;
  readonly node?: string;
  readonly risk: 'low' | 'medium' | 'high';
}

/** The share of a ring above which its rebalance is more than a low risk. */
const MOVED_HIGH_PCT = 10;

/** Everything that a plan does: rings, then files, then services. */
export function actionsOf(rings: PlannedRings, before: Manifest, after: Manifest): ActionJson[] {
  const { changes, blastRadius } = rings;
  const atRisk = new Set(
    blastRadius.filter((blast) => blast.partitions_below_write_quorum > 0).map(({ ring }) => ring),
  );
  const ringActions = changes.map(({ ring, balance_before_pct, moved_pct }): ActionJson => {
    const isNew = balance_before_pct === null;
    const risk = atRisk.has(ring) ? 'high' : moved_pct > MOVED_HIGH_PCT ? 'medium' : 'low';
    return {
      id: `ring/${ring}`,
      kind: isNew ? 'ring.create' : 'ring.rebalance',
      target: ring,
      risk,
    };
  });
  const files = Object.entries(after).flatMap(([node, own]) =>
    Object.keys(own)
      .filter((path) => before[node]?.[path]?.sha256 !== own[path]?.sha256)
      .map((path): ActionJson => ({
        id: `${node}/${path}`,
        kind: 'conf.render',
        target: path,
        node,
        risk: path === 'etc/swift/swift.conf' ? 'medium' : 'low',
      })),
  );
  const deletions = Object.entries(after).flatMap(([node, own]) =>
    Object.keys(before[node] ?? {})
      .filter((path) => own[path] === undefined)
      .map((path): ActionJson => ({
        id: `${node}/delete/${path}`,
        kind: 'file.delete',
        target: path,
        node,
        risk: 'medium',
      })),
  );
  return [...ringActions, ...files, ...deletions, ...reloads([...files, ...deletions], after)];
}

/** The actions that install drifted files of nodes again. */
export function repairActions(
  drifted: readonly {
    readonly node: string;
    readonly files: readonly { readonly path: string }[];
  }[],
  files: Manifest,
): ActionJson[] {
  const actions = drifted.flatMap(({ node, files: own }) =>
    own.map(({ path }): ActionJson => ({
      id: `${node}/${path}`,
      kind: 'conf.render',
      target: path,
      node,
      risk: path === 'etc/swift/swift.conf' ? 'medium' : 'low',
    })),
  );
  return [...actions, ...reloads(actions, files)];
}

/** Services by the files that they read at their start. Rings they read again by themselves. */
const SERVICES: readonly (readonly [file: RegExp, services: readonly string[]])[] = [
  [
    /^etc\/swift\/swift\.conf$/,
    ['swift-account', 'swift-container', 'swift-object', 'swift-proxy', 'swift-object-expirer'],
  ],
  [/^etc\/swift\/account-server\.conf$/, ['swift-account']],
  [/^etc\/swift\/container-server\.conf$/, ['swift-container']],
  [/^etc\/swift\/object-server\.conf$/, ['swift-object']],
  [/^etc\/swift\/proxy-server\.conf$/, ['swift-proxy']],
  [/^etc\/swift\/ringway\.secret$/, ['swift-proxy']],
  [/^etc\/swift\/object-expirer\.conf$/, ['swift-object-expirer']],
  [/^etc\/rsyncd\.conf$/, ['rsync']],
  [/^etc\/memcached\.conf$/, ['memcached']],
  [/^etc\/ringway\//, ['ringway']],
];

/** The files whose presence says that a node runs a service. */
const CONF_OF: Readonly<Record<string, string>> = {
  'swift-account': 'etc/swift/account-server.conf',
  'swift-container': 'etc/swift/container-server.conf',
  'swift-object': 'etc/swift/object-server.conf',
  'swift-proxy': 'etc/swift/proxy-server.conf',
  'swift-object-expirer': 'etc/swift/object-expirer.conf',
};

/** The services that have to be reloaded for a change of a file on a node. */
export function servicesOf(path: string, isThere: (conf: string) => boolean): string[] {
  return SERVICES.filter(([file]) => file.test(path))
    .flatMap(([, services]) => services)
    .filter((service) => CONF_OF[service] === undefined || isThere(CONF_OF[service]));
}

function reloads(files: readonly ActionJson[], after: Manifest): ActionJson[] {
  const found = new Map<string, ActionJson>();
  for (const { node = '', target } of files) {
    for (const service of servicesOf(target, (conf) => after[node]?.[conf] !== undefined)) {
      const id = `${node}/reload/${service}`;
      // Every entry of memcached is lost by its restart, tokens and leases included.
      const risk = service === 'memcached' || service === 'swift-proxy' ? 'high' : 'medium';
      found.set(id, { id, kind: 'service.reload', target: service, node, risk });
    }
  }
  return [...found.values()];
}
