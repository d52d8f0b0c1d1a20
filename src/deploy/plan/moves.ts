import type { Row } from '../../ring/ring-data.js';
import { ringOfPolicy } from '../spec/queries.js';
import type { Spec } from '../spec/schema.js';

/** The moves of partitions between two states of a ring. */
export interface Moves {
  /** Part-replicas that go to another device. */
  readonly parts: number;
  /** Partitions of which at least one replica does. */
  readonly partitions: number;
  /** The most replicas of one partition that do. */
  readonly replicasMax: number;
  /** Partitions of which fewer replicas than a write needs stay where they are. */
  readonly atRisk: number;
}

/** @param quorum - replicas that a write needs */
export function movesOf(before: readonly Row[], after: readonly Row[], quorum: number): Moves {
  let parts = 0;
  let partitions = 0;
  let replicasMax = 0;
  let atRisk = 0;
  const length = before[0]?.length ?? 0;
  for (let part = 0; part < length; part++) {
    let moved = 0;
    let kept = 0;
    for (const [replica, row] of after.entries()) {
      const old = before[replica]?.[part];
      const now = row[part];
      if (old === undefined || now === undefined) continue;
      if (old === now) kept++;
      else moved++;
    }
    if (moved === 0) continue;
    parts += moved;
    partitions++;
    replicasMax = Math.max(replicasMax, moved);
    if (kept < quorum) atRisk++;
  }
  return { parts, partitions, replicasMax, atRisk };
}

/**
 * How many replicas of a ring a write needs: swift/common/storage_policy.py, `quorum_size`; codes
 * that Deploy knows need one parity.
 */
export function writeQuorum({ policies }: Pick<Spec, 'policies'>, ring: string, replicas: number) {
  const ec = policies.find(({ index }) => ringOfPolicy(index) === ring)?.ec;
  return ec === undefined ? Math.floor((replicas + 1) / 2) : (ec.k + 1) * ec.dup;
}
