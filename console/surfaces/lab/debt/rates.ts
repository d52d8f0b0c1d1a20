import type { NodeState } from '../../../recon/node-probe.js';
import { PRIOR_RATES, type RepairRates } from './model.js';

/** Fewer updates say nothing of how fast an updater is. */
const UPDATES_LEAST = 10;
/**
 * The least share of a node's suffixes, and the fewest bytes, that a pass has to push: of one that
 * pushes little, the most time goes into comparing.
 */
const PUSHED_SHARE_LEAST = 0.05;
const PUSHED_BYTES_LEAST = 16 * 1024 * 1024;
/** A clock of recon that says less has measured nothing. */
const SECONDS_LEAST = 0.01;
/** A rate that was measured longer ago says little of today. */
const KEPT_S = 86_400;

interface Measured {
  readonly rate: number;
  readonly atS: number;
}

interface Former {
  readonly count: number;
  readonly lastUnixS: number;
}

/**
 * How fast nodes have repaired lately, by recon's counters:
 *
 * - updates: by how many the pending ones of a node became fewer from one count of swift-recon-cron
 *   to the next, over the length of its object-updater's last sweep;
 * - bytes: the share of a node's suffixes that its object-replicator pushed in its last pass, of the
 *   bytes on its disks, over the length of the pass.
 */
export class RateMeter {
  readonly #updates = new Map<string, Measured>();
  readonly #bytes = new Map<string, Measured>();
  readonly #pending = new Map<string, Former>();
  readonly #passes = new Map<string, number>();

  /** Looks at what recon says now. */
  note(nodes: readonly NodeState[], nowS: number): void {
    for (const node of nodes) {
      this.#noteUpdates(node, nowS);
      this.#noteBytes(node, nowS);
    }
  }

  /** The mean over the nodes of which something is known; what is not, is assumed. */
  rates(nowS: number): RepairRates {
    const updates = meanOf(this.#updates, nowS);
    const bytes = meanOf(this.#bytes, nowS);
    return {
      ...PRIOR_RATES,
      ...(updates === undefined ? {} : { updatesPerS: updates, updatesSource: 'measured' }),
      ...(bytes === undefined ? {} : { bytesPerS: bytes, bytesSource: 'measured' }),
    };
  }

  #noteUpdates({ name, async: pending, updaterSweepS: sweepS }: NodeState, nowS: number): void {
    const { count, lastUnixS } = pending ?? {};
    if (count === undefined || lastUnixS === undefined) return;
    const former = this.#pending.get(name);
    if (former !== undefined && former.lastUnixS >= lastUnixS) return;
    this.#pending.set(name, { count, lastUnixS });
    const paid = former === undefined ? 0 : former.count - count;
    if (paid < UPDATES_LEAST || sweepS === undefined || sweepS < SECONDS_LEAST) return;
    this.#updates.set(name, { rate: paid / sweepS, atS: nowS });
  }

  #noteBytes({ name, replication, disks = [] }: NodeState, nowS: number): void {
    const pass = replication.find(({ type }) => type === 'object');
    const { passS, lastUnixS, pushedShare } = pass ?? {};
    if (passS === undefined || lastUnixS === undefined || pushedShare === undefined) return;
    const former = this.#passes.get(name);
    if (former !== undefined && former >= lastUnixS) return;
    this.#passes.set(name, lastUnixS);
    const used = disks.reduce((sum, { used_bytes: bytes }) => sum + (bytes ?? 0), 0);
    const pushed = pushedShare * used;
    if (pushedShare < PUSHED_SHARE_LEAST || pushed < PUSHED_BYTES_LEAST) return;
    if (passS < SECONDS_LEAST) return;
    this.#bytes.set(name, { rate: pushed / passS, atS: nowS });
  }
}

function meanOf(all: ReadonlyMap<string, Measured>, nowS: number): number | undefined {
  const recent = [...all.values()].filter(({ atS }) => nowS - atS <= KEPT_S);
  if (recent.length === 0) return undefined;
  return recent.reduce((sum, { rate }) => sum + rate, 0) / recent.length;
}
