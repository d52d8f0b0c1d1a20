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

const UNCOUNTED = 'nothing was counted twice yet';

/** The first view. */
export const TILES: readonly Tile[] = [
  tile('nodes_online', 'Nodes online', 'count', 'count_up', 'no node is watched'),
  tile('services_up', 'Storage services up', 'count', 'count_up', 'no service is watched'),
  { ...tile('requests_per_s', 'Requests', 'per_s', 'sum', UNCOUNTED), panel: 'requests' },
  tile('error_ratio', 'Server errors', 'ratio', 'max', UNCOUNTED),
  {
    ...tile('latency_p99', 'p99 latency', 's', 'max', 'there were no requests of late'),
    panel: 'latency',
    where: { quantile: '0.99' },
  },
  { ...tile('capacity_used', 'Capacity used', 'ratio', 'max', NOT_SAID), note: 'first_full_s' },
  { ...tile('async_pending', 'Async pending', 'count', 'sum', NOT_SAID), note: 'slope_per_h' },
  tile('replication_age', 'Oldest replication pass', 's', 'max', NOT_SAID),
  { ...tile('quarantined', 'Quarantined', 'count', 'sum', NOT_SAID), note: 'new_24h' },
];

/** A tile of the panel with its own name. */
function tile(id: string, title: string, unit: Unit, reduction: Reduction, empty: string): Tile {
  return { id, title, unit, panel: id, reduction, empty };
}

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
