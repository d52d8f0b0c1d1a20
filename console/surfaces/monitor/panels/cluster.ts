import type { Panel } from './panel.js';

/** 1 for each source that answers, else 0. */
export const SOURCES_UP = 'sources_up';

/** Panels of the cluster's nodes. Names of metrics of hosts are those of Prometheus' node_exporter. */
export const CLUSTER_PANELS: readonly Panel[] = [
  {
    ...base(SOURCES_UP, 'Responding sources'),
    tab: 'nodes',
    kind: 'state',
    sources: ['console'],
  },
  {
    ...base('nodes_online', 'Nodes online'),
    tab: 'nodes',
    kind: 'state',
    // Shows hosts, not their services: a node whose services were stopped stays online.
    sources: ['prometheus', 'recon', 'gateway'],
    promql: 'max by (instance)(up{job="node"})',
    derivation: {
      kind: 'gauge',
      parts: [{ of: 'up', labels: { node: 'gateway' } }],
      by: [],
      fold: 'max',
    },
  },
  { ...base('services_up', 'Storage services up'), tab: 'nodes', kind: 'state' },
  {
    ...base('proxies_seen', 'Responding proxies'),
    tab: 'nodes',
    kind: 'state',
    sources: ['proxies'],
  },
  {
    ...base('proxy_problems', 'Mismatched proxies'),
    tab: 'nodes',
    kind: 'bars',
    sources: ['proxies'],
  },
  {
    ...base('clock_skew', 'Clock difference of nodes from the console'),
    tab: 'nodes',
    unit: 's',
  },
  {
    ...base('node_load', 'Node load per core'),
    tab: 'nodes',
    sources: ['prometheus'],
    promql:
      'max by (instance)(node_load1) / on (instance) count by (instance)(node_cpu_seconds_total{mode="idle"})',
  },
  {
    ...base('node_memory', 'Memory used'),
    tab: 'nodes',
    unit: 'ratio',
    sources: ['prometheus'],
    promql: 'max by (instance)(1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes)',
  },
  {
    ...base('disk_used', 'Disk usage'),
    tab: 'disks',
    unit: 'ratio',
    kind: 'bars',
    sources: ['recon', 'prometheus'],
    promql:
      'label_replace(max by (instance, mountpoint)(1 - node_filesystem_avail_bytes{mountpoint=~"/srv/node/.*"} / node_filesystem_size_bytes{mountpoint=~"/srv/node/.*"}), "device", "$1", "mountpoint", "/srv/node/(.*)")',
  },
  {
    ...base('capacity_used', 'Capacity used'),
    tab: 'disks',
    unit: 'ratio',
    sources: ['recon', 'prometheus'],
    promql:
      '1 - sum(node_filesystem_avail_bytes{mountpoint=~"/srv/node/.*"}) / sum(node_filesystem_size_bytes{mountpoint=~"/srv/node/.*"})',
  },
  { ...base('unmounted', 'Unmounted disks'), tab: 'disks', kind: 'bars' },
  base('async_pending', 'Async pending'),
  { ...base('replication_age', 'Time since last replication'), unit: 's' },
  { ...base('replication_pass', 'Replication pass duration'), unit: 's' },
  { ...base('quarantined', 'Quarantined'), kind: 'bars' },
  { ...base('ring_mismatch', 'Mismatched rings'), kind: 'bars' },
  { ...base('expirer_age', 'Time since last expirer update'), unit: 's' },
  { ...base('recon_age', 'Recon data age'), unit: 's' },
];

function base(id: string, title: string) {
  return {
    id,
    title,
    unit: 'count',
    tab: 'consistency',
    kind: 'line',
    sources: ['recon', 'prometheus'],
  } as const satisfies Panel;
}
