import type { Labels } from './labels.js';
import type { NoteId } from './notes.js';
import type { Unit } from './panels/panel.js';

/** How the series of a panel become the number of a tile. */
export type Reduction = 'sum' | 'max' | 'count_up';

export interface Tile {
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
  readonly panel: string;
  readonly where?: Labels;
  readonly reduction: Reduction;
  /** Said when the source is well, and still there is no value. */
  readonly empty: string;
  readonly note?: NoteId;
}

const NOT_SAID = 'no node says so';

/** The first view. */
export const TILES: readonly Tile[] = [
  {
    id: 'nodes_online',
    title: 'Nodes online',
    unit: 'count',
    panel: 'nodes_online',
    reduction: 'count_up',
    empty: 'no node is watched',
  },
  {
    id: 'services_up',
    title: 'Storage services up',
    unit: 'count',
    panel: 'services_up',
    reduction: 'count_up',
    empty: 'no service is watched',
  },
  {
    id: 'requests_per_s',
    title: 'Requests',
    unit: 'per_s',
    panel: 'requests',
    reduction: 'sum',
    empty: 'nothing was counted twice yet',
  },
  {
    id: 'error_ratio',
    title: 'Server errors',
    unit: 'ratio',
    panel: 'error_ratio',
    reduction: 'max',
    empty: 'nothing was counted twice yet',
  },
  {
    id: 'latency_p99',
    title: 'p99 latency',
    unit: 's',
    panel: 'latency',
    where: { quantile: '0.99' },
    reduction: 'max',
    empty: 'there were no requests of late',
  },
  {
    id: 'capacity_used',
    title: 'Capacity used',
    unit: 'ratio',
    panel: 'capacity_used',
    reduction: 'max',
    empty: NOT_SAID,
    note: 'first_full_s',
  },
  {
    id: 'async_pending',
    title: 'Async pending',
    unit: 'count',
    panel: 'async_pending',
    reduction: 'sum',
    empty: NOT_SAID,
    note: 'slope_per_h',
  },
  {
    id: 'replication_age',
    title: 'Oldest replication pass',
    unit: 's',
    panel: 'replication_age',
    reduction: 'max',
    empty: NOT_SAID,
  },
  {
    id: 'quarantined',
    title: 'Quarantined',
    unit: 'count',
    panel: 'quarantined',
    reduction: 'sum',
    empty: NOT_SAID,
    note: 'new_24h',
  },
];

/** @returns null for no values */
export function reduce(reduction: Reduction, values: readonly number[]): number | null {
  if (values.length === 0) return null;
  switch (reduction) {
    case 'sum':
      return values.reduce((sum, value) => sum + value, 0);
    case 'max':
      return Math.max(...values);
    case 'count_up':
      return values.filter((value) => value === 1).length;
  }
}
