import type { TombstoneClass } from './classify.js';

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

/** Upper edges of the bins of ages; the last bin has none. */
export const AGE_EDGES_S: readonly number[] = [
  HOUR_S,
  6 * HOUR_S,
  ...[1, 2, 3, 4, 5, 6, 7, 8, 10, 14, 30].map((days) => days * DAY_S),
];

/** The findings of a scan, in numbers. */
export interface ScanSummary {
  readonly files: number;
  readonly exhibits: number;
  /** An exhibit may be of several classes. */
  readonly classes: Record<TombstoneClass, number>;
  /** Exhibits by age: one more than there are edges. */
  readonly ages: number[];
  /** Tombstones by device. */
  readonly by_device: Record<string, number>;
  readonly names: { xattr: number; sidecar: number; none: number };
  /** Folders that may not be read. */
  readonly denied: number;
  /** Why not all was read; null where all was. */
  readonly partial: string | null;
  readonly reclaim_age_s: number;
  readonly scanned_unix_s: number;
}

export function emptySummary(
  { nowS, reclaimAgeS }: { readonly nowS: number; readonly reclaimAgeS: number },
  devices: readonly string[],
): ScanSummary {
  return {
    files: 0,
    exhibits: 0,
    classes: {
      normal: 0,
      phantom: 0,
      expired: 0,
      split: 0,
      handoff: 0,
      overdue: 0,
      gateway: 0,
      reconciler: 0,
    },
    ages: Array.from({ length: AGE_EDGES_S.length + 1 }, () => 0),
    by_device: Object.fromEntries(devices.map((name) => [name, 0])),
    names: { xattr: 0, sidecar: 0, none: 0 },
    denied: 0,
    partial: null,
    reclaim_age_s: reclaimAgeS,
    scanned_unix_s: nowS,
  };
}
