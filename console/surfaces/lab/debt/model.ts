import type { NodeState } from '../../../recon/node-probe.js';
import type { PendingUpdates } from './pending-updates.js';

/** Whether a rate was measured (rates.ts), or is assumed until it is. */
export type RateSource = 'measured' | 'prior';

/** How fast the cluster repairs. */
export interface RepairRates {
  readonly updatesSource: RateSource;
  readonly bytesSource: RateSource;
  /** Updates of containers that a node's object-updater sends a second. */
  readonly updatesPerS: number;
  /** Bytes that a node copies a second. */
  readonly bytesPerS: number;
  /** The mean size of an object. */
  readonly objectBytes: number;
  /** The mean size of a database of an account or a container. */
  readonly databaseBytes: number;
}

/** The assumed rates: Swift's `objects_per_second`, and a disk with other work as well. */
export const PRIOR_RATES: RepairRates = {
  updatesSource: 'prior',
  bytesSource: 'prior',
  updatesPerS: 50,
  bytesPerS: 50e6,
  objectBytes: 1024 * 1024,
  databaseBytes: 256 * 1024,
};

/** A device of the rings of objects. */
export interface DebtDevice {
  readonly node: string;
  readonly device: string;
  /** Part-replicas that it has, in all rings of objects. */
  readonly parts: number;
  /** Part-replicas by its weight. */
  readonly wantedParts: number;
}

export interface DebtInput {
  readonly nowS: number;
  readonly nodes: readonly NodeState[];
  readonly devices: readonly DebtDevice[];
  readonly rates: RepairRates;
  /** Updates that were counted on the disks of nodes; those of other nodes are as recon has them. */
  readonly pending?: ReadonlyMap<string, PendingUpdates>;
  /** After which tombstones go, and what was not repaired by then may come back. */
  readonly reclaimAgeS: number;
}

export type ComponentId = 'async' | 'quarantine' | 'missing' | 'imbalance' | 'disk' | 'lag';

export interface DebtComponent {
  readonly id: ComponentId;
  /** Seconds of repair work; null where nothing is known. */
  readonly debt_s: number | null;
  readonly count: number | null;
  readonly unit: 'updates' | 'files' | 'bytes' | 'seconds';
  /** The divisor of `count`; null where it is a time itself. */
  readonly rate: number | null;
  readonly rate_source: RateSource;
  /** Where the figures come from. */
  readonly source: string;
  /** `partial`: some nodes said nothing, so that it is at least this. */
  readonly state: 'known' | 'partial' | 'stale' | 'unknown';
  /** The age of the oldest figure in it; null where figures have no time of their own. */
  readonly age_s: number | null;
  /** For how long the oldest of what is counted has waited; null where that is not known. */
  readonly oldest_s: number | null;
  readonly by_node: readonly {
    readonly node: string;
    readonly debt_s: number | null;
    readonly count: number | null;
  }[];
}

export interface Debt {
  /** The sum of what is known, made larger by what is not well. */
  readonly debt_s: number | null;
  /** 0 to 100: the debt as a share of the time until tombstones go. */
  readonly index: number | null;
  readonly grade: 'A' | 'B' | 'C' | 'D' | 'E' | null;
  readonly unhealthy_ratio: number;
  readonly components: readonly DebtComponent[];
}

const SOURCES: Readonly<Record<ComponentId, string>> = {
  async: 'async_pending on the disks; elsewhere /recon/async, counted by swift-recon-cron',
  quarantine: '/recon/quarantined',
  missing: '/recon/diskusage and the rings of objects',
  imbalance: 'the rings of objects and /recon/diskusage',
  disk: '/recon/diskusage',
  lag: '/recon/replication',
};

/** swift-recon-cron runs every five minutes; three times that is late. */
const STALE_S = 900;
/** The time that a replicator may take from one pass to the next, besides the pass itself. */
const PASS_INTERVAL_S = 30;
const DISK_FULL_SHARE = 0.8;
const HEALTHY_LEAST = 0.05;
const SKEW_S_MAX = 1;

/** How much repair work is owed. What a node does not say is unknown, and never 0. */
export function debtOf(input: DebtInput): Debt {
  const components = [
    asyncPending(input),
    quarantine(input),
    missing(input),
    imbalance(input),
    diskPressure(input),
    replicationLag(input),
  ];
  const known = components.flatMap(({ debt_s: debt }) => debt ?? []);
  const unhealthy = unhealthyRatio(input.nodes);
  const sum = known.reduce((total, debt) => total + debt, 0);
  const debt = known.length === 0 ? null : sum / Math.max(HEALTHY_LEAST, 1 - unhealthy);
  const index = debt === null ? null : Math.min(100, (100 * debt) / input.reclaimAgeS);
  return {
    debt_s: debt,
    index,
    grade: index === null ? null : gradeOf(index),
    unhealthy_ratio: unhealthy,
    components,
  };
}

function gradeOf(index: number): 'A' | 'B' | 'C' | 'D' | 'E' {
  if (index < 1) return 'A';
  if (index < 5) return 'B';
  if (index < 20) return 'C';
  return index < 50 ? 'D' : 'E';
}

/** The share of nodes and services that do not answer, have another ring, or another time. */
function unhealthyRatio(nodes: readonly NodeState[]): number {
  const checks = nodes.flatMap(({ services, ringMismatches, skewS }) => [
    ...services.map(({ up }) => up),
    ...(ringMismatches === undefined ? [] : [ringMismatches === 0]),
    ...(skewS === undefined ? [] : [Math.abs(skewS) <= SKEW_S_MAX]),
  ]);
  return checks.length === 0 ? 1 : checks.filter((well) => !well).length / checks.length;
}

interface NodeFigure {
  readonly node: string;
  readonly count: number | null;
  readonly ageS?: number | undefined;
  /** There may be more of it. */
  readonly isPartial?: boolean;
}

/** A component whose debt is a count, divided by a rate of each node. */
function component(
  id: ComponentId,
  unit: DebtComponent['unit'],
  figures: readonly NodeFigure[],
  rates?: RepairRates,
): DebtComponent {
  const rate = rateOf(unit, rates);
  const known = figures.filter(({ count }) => count !== null);
  const ages = figures.flatMap(({ ageS }) => ageS ?? []);
  const age = ages.length === 0 ? null : Math.max(...ages);
  const count = known.reduce((sum, figure) => sum + (figure.count ?? 0), 0);
  const isKnown = known.length > 0;
  const debt = (figure: number | null): number | null =>
    figure === null ? null : figure / (rate ?? 1);
  return {
    id,
    debt_s: isKnown ? debt(count) : null,
    count: isKnown ? count : null,
    unit,
    rate,
    rate_source: (unit === 'updates' ? rates?.updatesSource : rates?.bytesSource) ?? 'prior',
    source: SOURCES[id],
    state: stateOf(isKnown, known.length < figures.length || known.some(isPartly), age),
    age_s: age,
    oldest_s: null,
    by_node: figures.map(({ node, count: own }) => ({ node, debt_s: debt(own), count: own })),
  };
}

/** @returns null for what is a time itself */
function rateOf(unit: DebtComponent['unit'], rates: RepairRates | undefined): number | null {
  if (rates === undefined) return null;
  return unit === 'updates' ? rates.updatesPerS : rates.bytesPerS;
}

function isPartly({ isPartial }: NodeFigure): boolean {
  return isPartial === true;
}

function stateOf(
  isKnown: boolean,
  isPartial: boolean,
  ageS: number | null,
): DebtComponent['state'] {
  if (!isKnown) return 'unknown';
  if (ageS !== null && ageS > STALE_S) return 'stale';
  return isPartial ? 'partial' : 'known';
}

function asyncPending({ nodes, nowS, rates, pending }: DebtInput): DebtComponent {
  const figures = nodes.map(({ name, async: cron }): NodeFigure => {
    const own = pending?.get(name);
    if (own !== undefined) return { node: name, count: own.count, isPartial: own.isPartial };
    // The count of swift-recon-cron, not the present one.
    const ageS = cron?.lastUnixS === undefined ? undefined : Math.max(0, nowS - cron.lastUnixS);
    return { node: name, count: cron?.count ?? null, ageS };
  });
  const times = [...(pending?.values() ?? [])].flatMap(({ oldestUnixS }) => oldestUnixS ?? []);
  const oldest = times.length === 0 ? null : Math.max(0, nowS - Math.min(...times));
  return { ...component('async', 'updates', figures, rates), oldest_s: oldest };
}

function quarantine({ nodes, rates }: DebtInput): DebtComponent {
  const figures = nodes.map(({ name, quarantined }) => {
    if (quarantined === undefined || quarantined.size === 0) return { node: name, count: null };
    const databases = (quarantined.get('accounts') ?? 0) + (quarantined.get('containers') ?? 0);
    const objects = quarantined.get('objects') ?? 0;
    return { node: name, count: objects * rates.objectBytes + databases * rates.databaseBytes };
  });
  return component('quarantine', 'bytes', figures, rates);
}

/** Data on devices that are not mounted, or for which no object server answers. */
function missing(input: DebtInput): DebtComponent {
  const perPart = bytesPerPart(input);
  const figures = input.nodes.map((node) => {
    // Absence first: a node that is held down says nothing of its disks either.
    const isSilent = !isNodeAway(node) && node.disks === undefined;
    if (perPart === undefined || isSilent) return { node: node.name, count: null };
    const away = input.devices.filter((one) => one.node === node.name && isAway(node, one.device));
    return { node: node.name, count: away.reduce((sum, { parts }) => sum + parts * perPart, 0) };
  });
  return component('missing', 'bytes', figures, input.rates);
}

/** Whether no server of the node serves objects; its host may answer all the same. */
function isNodeAway({ online, services }: NodeState): boolean {
  const servers = services.filter(({ name }) => /^object\b/.test(name));
  return !online || (servers.length > 0 && servers.every(({ up }) => !up));
}

function isAway(node: NodeState, device: string): boolean {
  if (isNodeAway(node)) return true;
  if (node.areFolders === true) return false;
  const disk = node.disks?.find((one) => one.device === device);
  // Recon has an error in this place for a disk that fails. Where all devices are plain folders, as
  // in small clusters, nothing is mounted, and no usage is known to count with.
  return disk !== undefined && disk.mounted !== true;
}

function imbalance(input: DebtInput): DebtComponent {
  const perPart = bytesPerPart(input);
  const figures = input.nodes.map(({ name }) => {
    const own = input.devices.filter(({ node }) => node === name);
    if (perPart === undefined || own.length === 0) return { node: name, count: null };
    const surplus = own.reduce(
      // Parts are whole: less than one too many is none.
      (sum, { parts, wantedParts }) => sum + Math.max(0, parts - Math.ceil(wantedParts)),
      0,
    );
    return { node: name, count: surplus * perPart };
  });
  return component('imbalance', 'bytes', figures, input.rates);
}

function diskPressure({ nodes, rates }: DebtInput): DebtComponent {
  const figures = nodes.map(({ name, disks }) => {
    const sized = (disks ?? []).filter((disk) => disk.size_bytes !== null);
    if (sized.length === 0) return { node: name, count: null };
    const surplus = sized.reduce((sum, { size_bytes: size, used_bytes: used }) => {
      return sum + Math.max(0, (used ?? 0) - DISK_FULL_SHARE * (size ?? 0));
    }, 0);
    return { node: name, count: surplus };
  });
  return component('disk', 'bytes', figures, rates);
}

/** How much longer ago than two passes a node's replicators have finished one. */
function replicationLag({ nodes, nowS }: DebtInput): DebtComponent {
  const figures = nodes.map(({ name, replication }) => {
    const lags = replication.flatMap(({ passS, lastUnixS }) => {
      if (lastUnixS === undefined) return [];
      const allowed = 2 * Math.max(passS ?? 0, PASS_INTERVAL_S);
      return [Math.max(0, nowS - lastUnixS - allowed)];
    });
    return { node: name, count: lags.length === 0 ? null : Math.max(...lags) };
  });
  return component('lag', 'seconds', figures);
}

/** The mean over the devices whose usage is known; undefined where there are none. */
function bytesPerPart({ nodes, devices }: DebtInput): number | undefined {
  let bytes = 0;
  let parts = 0;
  for (const { node, device, parts: own } of devices) {
    const disks = nodes.find(({ name }) => name === node)?.disks ?? [];
    const used = disks.find((disk) => disk.device === device)?.used_bytes ?? null;
    if (used === null) continue;
    bytes += used;
    parts += own;
  }
  return parts === 0 ? undefined : bytes / parts;
}
