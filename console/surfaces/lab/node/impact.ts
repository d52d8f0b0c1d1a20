import { setImmediate as nextTurn } from 'node:timers/promises';
import { presentDevices, type Device } from '../../../../src/ring/device.js';
import type { Ring } from '../../../../src/ring/ring.js';
import { ApiError } from '../../../server/api-error.js';
import type { LabRings } from '../ground/lab-rings.js';
import { protectionOf } from '../policies/comparison.js';
import { readNeed, writeQuorum, type Protection } from '../policies/storage-cost.js';

/** The state of one ring while devices are away. */
export interface RingImpact {
  readonly ring: string;
  /** The name of its storage policy; null for accounts and containers. */
  readonly policy: string | null;
  readonly parts: number;
  /** Partitions that have fewer of their primaries. */
  readonly degraded_parts: number;
  /** Partitions without a write quorum of primaries; handoffs may still take writes. */
  readonly write_blocked_parts: number;
  /** Partitions none of which can be read: no copy, or too few fragments. */
  readonly read_blocked_parts: number;
}

/** The state of the cluster without a node: counted in all of its rings. */
export interface Impact {
  readonly node: string;
  /** The nodes that are away already. */
  readonly others_away: readonly string[];
  readonly rings: readonly RingImpact[];
  readonly write_blocked_parts: number;
  readonly read_blocked_parts: number;
  /** Whether nothing is blocked. */
  readonly safe: boolean;
}

/** A share of the work that takes less than a millisecond. */
const PARTS_AT_ONCE = 8192;

/**
 * @param awayIps addresses of the nodes that are away, and of the one that is to be
 * @param concerns - whether the loss concerns a ring: all, unless said otherwise
 * @throws ApiError where a ring cannot be read
 */
export async function impactOf(
  rings: LabRings,
  node: string,
  others: readonly string[],
  awayIps: ReadonlySet<string>,
  concerns: (ringName: string) => boolean = () => true,
): Promise<Impact> {
  const found: RingImpact[] = [];
  for (const name of (await rings.names()).filter(concerns)) {
    const { ring } = await rings.open(name);
    const policy = await rings.policyOf(name);
    const protection = protectionOf(policy, ring.replicas);
    const isAway = ({ ip, replicationIp }: Device) => awayIps.has(ip) || awayIps.has(replicationIp);
    const counts = await ringImpact(ring, protection, isAway);
    found.push({ ring: name, policy: policy?.name ?? null, ...counts });
  }
  const sum = (of: (one: RingImpact) => number) => found.reduce((all, one) => all + of(one), 0);
  const blocked = {
    write_blocked_parts: sum((one) => one.write_blocked_parts),
    read_blocked_parts: sum((one) => one.read_blocked_parts),
  };
  const safe = blocked.write_blocked_parts === 0 && blocked.read_blocked_parts === 0;
  return { node, others_away: others, rings: found, ...blocked, safe };
}

/** @param without - what is to be away */
export function unsafe(without: string, impact: Impact): ApiError {
  return new ApiError(
    'unsafe_quorum',
    `Without ${without}, ${impact.write_blocked_parts} partitions lose their write quorum of primaries, and ${impact.read_blocked_parts} cannot be read from primaries.`,
    { impact },
  );
}

/** The refusal to do what is unsafe all the same. */
export function noForce(): ApiError {
  const text = '“force” is available only in labs (node_driver local-procs).';
  return new ApiError('unprocessable', text, { field: 'force' });
}

/** Counts partitions; of a code, fragments that are the same count once for reading. */
export async function ringImpact(
  ring: Ring,
  protection: Protection,
  isAway: (device: Device) => boolean,
): Promise<Omit<RingImpact, 'ring' | 'policy'>> {
  const { rows, devices } = ring.data;
  const away = new Uint8Array(devices.length);
  for (const device of presentDevices(devices)) if (isAway(device)) away[device.id] = 1;
  const quorum = writeQuorum(protection);
  const need = readNeed(protection);
  const fragments = fragmentsOf(protection, rows.length);
  const seen = new Uint8Array(fragments);
  let [degraded, writeBlocked, readBlocked] = [0, 0, 0];
  for (let part = 0; part < ring.partitionCount; part++) {
    if (part % PARTS_AT_ONCE === 0 && part > 0) await nextTurn();
    let left = 0;
    let lost = 0;
    let different = 0;
    seen.fill(0);
    for (const [index, row] of rows.entries()) {
      const id = row[part];
      if (id === undefined) continue;
      if (away[id] === 1) {
        lost++;
        continue;
      }
      left++;
      const fragment = index % fragments;
      if (seen[fragment] === 0) different++;
      seen[fragment] = 1;
    }
    if (lost > 0) degraded++;
    // A partition that no loss has touched is as it was made.
    if (lost > 0 && left < quorum) writeBlocked++;
    if (lost > 0 && different < need) readBlocked++;
  }
  return {
    parts: ring.partitionCount,
    degraded_parts: degraded,
    write_blocked_parts: writeBlocked,
    read_blocked_parts: readBlocked,
  };
}

/** How many members differ from each other: every row of copies is one. */
function fragmentsOf(protection: Protection, rows: number): number {
  if (protection.kind === 'replication') return Math.max(1, rows);
  return protection.coding.dataFragments + protection.coding.parityFragments;
}
