import type { Row } from './ring-data.js';
import type { TierTree } from './tier-tree.js';

/** How many replicas of one partition each tier has. Made once, used for one after the other. */
export class PartTiers {
  readonly #counts: Uint16Array;
  readonly #touched: number[] = [];

  constructor(private readonly tree: TierTree) {
    this.#counts = new Uint16Array(tree.tiers.length);
  }

  /** Counts anew. Entries that are the id of no device are not counted. */
  load(rows: readonly Row[], part: number): void {
    for (const number of this.#touched) this.#counts[number] = 0;
    this.#touched.length = 0;
    for (const row of rows) {
      const id = row[part];
      if (id !== undefined) this.add(id, 1);
    }
  }

  /** One replica more, or less, on a device. */
  add(id: number, difference: 1 | -1): void {
    const tiers = this.tree.tiersOf[id];
    if (tiers === undefined) return;
    for (const number of tiers) {
      const before = this.#counts[number] ?? 0;
      if (before === 0) this.#touched.push(number);
      this.#counts[number] = before + difference;
    }
  }

  of(tier: number): number {
    return this.#counts[tier] ?? 0;
  }

  /** Numbers of tiers that had a replica since the partition was loaded. */
  touched(): readonly number[] {
    return this.#touched;
  }
}
