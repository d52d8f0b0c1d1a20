import type { Policy } from '../../../../src/ring/policy.js';
import { durability, type DiskAssumptions } from './durability.js';
import {
  isFragmentSizeExact,
  memberCount,
  readNeed,
  storedBytes,
  survivedLosses,
  writeQuorum,
  type Protection,
} from './storage-cost.js';
import type { DomainLoss, Loss } from './domain-loss.js';

/** A policy to compare: one of the cluster, or one that is only thought of. */
export interface Candidate {
  readonly name: string;
  /** Null for one that is only thought of. */
  readonly index: number | null;
  readonly protection: Protection;
  /** The name of its ring; null where it has none. */
  readonly ring: string | null;
  /** Partitions of its ring, or of the ring that stands in for it. */
  readonly partitions: number;
  /** Null where there is no ring to count in. */
  readonly loss: DomainLoss | null;
}

export interface CompareAssumptions extends DiskAssumptions {
  /** Sizes to show the overhead for. */
  readonly objectBytes: readonly number[];
  /** Those of the container ring. */
  readonly containerReplicas: number;
}

/** Whether objects can be read, and written by primaries alone. */
export interface LossLeaves {
  readonly readable: boolean;
  readonly writable: boolean;
}

/** How a policy does, in the numbers that tell policies apart. */
export interface PolicyRow {
  readonly index: number | null;
  readonly name: string;
  /** The name of its ring; null where it has none. */
  readonly ring: string | null;
  readonly type: Protection['kind'];
  /** Data and parity fragments; null for replication. */
  readonly k: number | null;
  readonly m: number | null;
  /** Copies, or fragments of all kinds. */
  readonly replicas: number;
  /** Stored by useful bytes, for large objects. */
  readonly overhead_ratio: number;
  readonly overhead_by_size: readonly {
    readonly bytes: number;
    readonly stored_bytes: number;
    readonly ratio: number | null;
  }[];
  /** Whether stored bytes are exact; false for a code whose word size is not known. */
  readonly is_exact: boolean;
  readonly write_quorum: number;
  readonly read_need: number;
  readonly survives_losses: number;
  readonly min_devices: number;
  readonly devices: number | null;
  readonly zones: number | null;
  readonly servers: number | null;
  readonly max_replicas_per_zone: number | null;
  readonly max_replicas_per_server: number | null;
  /** The state without the worst zone, and without the worst server. */
  readonly zone_loss: LossLeaves | null;
  readonly server_loss: LossLeaves | null;
  readonly mttdl_h: number;
  readonly loss_prob_year: number;
  /** For all partitions; an upper bound. */
  readonly cluster_loss_prob_year: number;
  readonly nines: number;
  readonly put: {
    /** Sent to object servers, for an object of the last of the sizes. */
    readonly wire_bytes: number;
    readonly backend_puts: number;
    readonly container_updates: number;
  };
  readonly get: { readonly backend_conns: number };
  /** Bytes read for each byte that is repaired. */
  readonly repair_read_amp: number;
}

/** Large enough that headers and rounding do not count. */
const LARGE_BYTES = 1024 ** 4;

/** @param assumptions - with one size at least */
export function comparePolicies(
  candidates: readonly Candidate[],
  assumptions: CompareAssumptions,
): PolicyRow[] {
  return candidates.map((candidate) => rowOf(candidate, assumptions));
}

function rowOf(candidate: Candidate, assumptions: CompareAssumptions): PolicyRow {
  const { protection, partitions, loss } = candidate;
  const members = memberCount(protection);
  const whole = Math.ceil(members);
  const tolerated = survivedLosses(protection);
  const model = durability(whole, tolerated, partitions, assumptions);
  const coding = protection.kind === 'erasure_coding' ? protection.coding : undefined;
  return {
    index: candidate.index,
    name: candidate.name,
    ring: candidate.ring,
    type: protection.kind,
    k: coding?.dataFragments ?? null,
    m: coding?.parityFragments ?? null,
    replicas: members,
    overhead_ratio: storedBytes(protection, LARGE_BYTES) / LARGE_BYTES,
    overhead_by_size: assumptions.objectBytes.map((bytes) => {
      const stored = storedBytes(protection, bytes);
      return { bytes, stored_bytes: stored, ratio: bytes === 0 ? null : stored / bytes };
    }),
    is_exact: coding === undefined || isFragmentSizeExact(coding.type),
    write_quorum: writeQuorum(protection),
    read_need: readNeed(protection),
    survives_losses: tolerated,
    min_devices: whole,
    devices: loss?.devices ?? null,
    zones: loss?.zone.domains ?? null,
    servers: loss?.server.domains ?? null,
    max_replicas_per_zone: loss?.zone.maxMembers ?? null,
    max_replicas_per_server: loss?.server.maxMembers ?? null,
    zone_loss: loss === null ? null : leaves(loss.zone),
    server_loss: loss === null ? null : leaves(loss.server),
    mttdl_h: model.mttdlHours,
    loss_prob_year: model.lossPerYear,
    cluster_loss_prob_year: model.clusterLossPerYear,
    nines: model.nines,
    put: {
      wire_bytes: storedBytes(protection, assumptions.objectBytes.at(-1) ?? 0),
      backend_puts: whole,
      container_updates: containerUpdates(protection, assumptions.containerReplicas),
    },
    get: { backend_conns: readNeed(protection) },
    repair_read_amp: readNeed(protection),
  };
}

function leaves({ readable, writable }: Loss): LossLeaves {
  return { readable, writable };
}

/**
 * So many that a quorum of the container's replicas hears of a PUT that a quorum of object servers
 * took: `num_container_updates` of swift/proxy/controllers/obj.py.
 */
function containerUpdates(protection: Protection, containerReplicas: number): number {
  const members = Math.ceil(memberCount(protection));
  const quorum = writeQuorum({ kind: 'replication', replicas: containerReplicas });
  const needed = quorum + members - writeQuorum(protection);
  return Math.max(needed, Math.ceil(containerReplicas));
}

/**
 * How a policy of swift.conf keeps objects.
 * @param policy - undefined for accounts and containers, of which there are copies
 * @param replicas - those of its ring
 */
export function protectionOf(policy: Policy | undefined, replicas: number): Protection {
  const coding = policy?.erasureCoding;
  return coding === undefined
    ? { kind: 'replication', replicas }
    : { kind: 'erasure_coding', coding };
}
