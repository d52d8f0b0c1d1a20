import type { ConsoleOptions } from '../../../config/load.js';
import { CLUSTER_PANELS } from './cluster.js';
import { GATEWAY_PANELS } from './gateway.js';
import type { Panel, SourceId, TabId } from './panel.js';

export const TABS: readonly { readonly id: TabId; readonly title: string }[] = [
  { id: 'gateway', title: 'Gateway' },
  { id: 'nodes', title: 'Storage nodes' },
  { id: 'disks', title: 'Disks' },
  { id: 'consistency', title: 'Consistency' },
  { id: 'logs', title: 'Logs' },
  { id: 'trace', title: 'Trace' },
];

export const PANELS: readonly Panel[] = [...GATEWAY_PANELS, ...CLUSTER_PANELS];

const BY_ID: ReadonlyMap<string, Panel> = new Map(PANELS.map((panel) => [panel.id, panel]));

export function panelOf(id: string): Panel | undefined {
  return BY_ID.get(id);
}

/** Which sources the configuration has, and for the others why not. */
export type Sources = Readonly<Record<SourceId, true | string>>;

export function configuredSources(
  options: Pick<
    ConsoleOptions,
    'metricsUrl' | 'adminUrl' | 'clusterNodes' | 'proxyNodes' | 'proxyBases' | 'storeDir'
  >,
): Sources {
  const { metricsUrl, adminUrl, clusterNodes, proxyNodes, proxyBases, storeDir } = options;
  return {
    console: true,
    prometheus: metricsUrl !== '' || 'metrics_url is not configured',
    gateway:
      metricsUrl !== '' ? 'metrics_url is used' : adminUrl !== '' || 'admin_url is not configured',
    recon:
      clusterNodes.length === 0
        ? 'no cluster_nodes are configured'
        : storeDir !== '' || 'store_dir, which holds the rings, is not configured',
    proxies:
      clusterNodes.length + proxyNodes.length + proxyBases.length > 0 ||
      'neither cluster_nodes nor proxy_nodes nor proxy_bases are configured',
  };
}

/** The source that measures a panel, or why none does. */
export type Assignment =
  | { readonly source: SourceId; readonly promql?: string }
  | { readonly source: undefined; readonly reason: string };

/** @param queries - `metrics_queries`: PromQL in place of a panel's own, whatever else measures it */
export function assign(
  panel: Panel,
  sources: Sources,
  queries: Readonly<Record<string, string>> = {},
): Assignment {
  const own = Object.hasOwn(queries, panel.id) ? queries[panel.id] : undefined;
  if (own !== undefined && sources.prometheus === true) {
    return { source: 'prometheus', promql: own };
  }
  for (const source of panel.sources) {
    if (sources[source] !== true) continue;
    if (source !== 'prometheus') return { source };
    if (panel.promql !== undefined) return { source, promql: panel.promql };
  }
  return { source: undefined, reason: whyNot(panel, sources) };
}

function whyNot({ sources: wanted, promql }: Panel, sources: Sources): string {
  const reasons = wanted
    .filter((source) => source !== 'prometheus' || promql !== undefined)
    .map((source) => sources[source])
    .filter((one) => typeof one === 'string');
  return reasons.length === 0 ? 'nothing measures it' : reasons.join(', ');
}
