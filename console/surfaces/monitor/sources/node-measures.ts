import type { Labels } from '../labels.js';
import type { Measure } from '../measure.js';
import type { NodeState } from '../../../recon/node-probe.js';

/** The measures for the panels from a look at all nodes. */
export function measuresOf(
  nodes: readonly NodeState[],
  expirerAges: ReadonlyMap<string, number>,
  nowMs: number,
): Measure[] {
  const nowS = nowMs / 1000;
  const measures: Measure[] = [];
  const add = (panel: string, labels: Labels, value: number | undefined) => {
    if (value !== undefined) measures.push({ panel, labels, value });
  };
  for (const state of nodes) {
    const node = state.name;
    add('nodes_online', { node }, Number(state.online));
    for (const { name, up } of state.services) {
      add('services_up', { node, service: name }, Number(up));
    }
    add('clock_skew', { node }, state.skewS === undefined ? undefined : Math.abs(state.skewS));
    add('async_pending', { node }, state.async?.count);
    add('recon_age', { node }, ageS(nowS, state.async?.lastUnixS));
    for (const [kind, count] of state.quarantined ?? []) add('quarantined', { node, kind }, count);
    for (const { type, passS, lastUnixS } of state.replication) {
      add('replication_age', { node, type }, ageS(nowS, lastUnixS));
      add('replication_pass', { node, type }, passS);
    }
    for (const { device, size_bytes: size, used_bytes: used } of state.disks ?? []) {
      if (size !== null && used !== null && size > 0)
        add('disk_used', { node, device }, used / size);
    }
    add('unmounted', { node }, state.unmounted);
    add('ring_mismatch', { node }, state.ringMismatches);
    add('expirer_age', { node }, expirerAges.get(node));
  }
  add('capacity_used', {}, capacityUsed(nodes));
  return measures;
}

function capacityUsed(nodes: readonly NodeState[]): number | undefined {
  let size = 0;
  let used = 0;
  for (const disk of nodes.flatMap(({ disks }) => disks ?? [])) {
    if (disk.size_bytes === null || disk.used_bytes === null) continue;
    size += disk.size_bytes;
    used += disk.used_bytes;
  }
  return size === 0 ? undefined : used / size;
}

function ageS(nowS: number, thenS: number | undefined): number | undefined {
  return thenS === undefined ? undefined : Math.max(0, nowS - thenS);
}

/** A row of the table of nodes as the page has it; null is unknown. */
export function nodeView(state: NodeState, nowMs: number) {
  const ages = state.replication.flatMap(({ lastUnixS }) => ageS(nowMs / 1000, lastUnixS) ?? []);
  const { ringMismatches } = state;
  return {
    name: state.name,
    // A node without a known address cannot be asked.
    online: state.services.length === 0 ? null : state.online,
    services_up: state.services.filter(({ up }) => up).length,
    services: state.services.length,
    async_pending: state.async?.count ?? null,
    quarantined:
      state.quarantined === undefined
        ? null
        : [...state.quarantined.values()].reduce((sum, count) => sum + count, 0),
    replication_age_s: ages.length === 0 ? null : Math.max(...ages),
    clock_skew_s: state.skewS ?? null,
    unmounted: state.unmounted ?? null,
    ring_matches: ringMismatches === undefined ? null : ringMismatches === 0,
    reason: reasonOf(state),
    disks: state.disks ?? [],
  };
}

function reasonOf({ online, services, async: pending }: NodeState): string | null {
  if (services.length === 0) return 'no ring has a device of this node';
  if (!online) return 'the host is not responding';
  if (services.every(({ up }) => !up)) return 'none of its services answers';
  if (pending === undefined) return 'its services have no recon';
  return pending.count === undefined ? 'the job that writes for recon has not run there yet' : null;
}
