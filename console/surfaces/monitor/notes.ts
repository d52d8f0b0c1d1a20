import { secondsUntil, slope, trendPoints, type Point } from './alerts/trend.js';
import { pointsSince, type Kept } from './history/history.js';
import type { Unit } from './panels/panel.js';
import type { Watch } from './watch.js';

/** The note below the number of a tile. */
export interface Note {
  readonly id: string;
  readonly title: string;
  readonly value: number | null;
  readonly unit: Unit;
}

export type NoteId = 'first_full_s' | 'slope_per_h' | 'new_24h';

const HOUR_S = 3600;
const HOUR_MS = HOUR_S * 1000;

/** Points of a series of the last so many milliseconds. */
type Points = (kept: Kept, overMs: number) => readonly Point[];

interface NoteRule {
  readonly title: string;
  readonly unit: Unit;
  readonly panel: string;
  /** @returns null when it cannot be told */
  readonly value: (series: readonly Kept[], points: Points) => number | null;
}

const RULES: Readonly<Record<NoteId, NoteRule>> = {
  first_full_s: {
    title: 'until the first disk is full',
    unit: 's',
    panel: 'disk_used',
    value(series, points) {
      const times = known(
        series.map((kept) => secondsUntil(1, trendPoints(points(kept, 6 * HOUR_MS), 6 * HOUR_S))),
      );
      return times.length === 0 ? null : Math.min(...times);
    },
  },
  slope_per_h: {
    title: 'an hour',
    unit: 'count',
    panel: 'async_pending',
    value(series, points) {
      const slopes = known(
        series.map((kept) => slope(trendPoints(points(kept, HOUR_MS / 2), HOUR_S / 2))),
      );
      return slopes.length === 0 ? null : 3600 * sum(slopes);
    },
  },
  new_24h: {
    title: 'new in 24 h',
    unit: 'count',
    panel: 'quarantined',
    value: (series, points) =>
      sum(
        series.map((kept) => {
          const first = points(kept, 24 * HOUR_MS)[0]?.[1] ?? kept.lastValue;
          return Math.max(0, kept.lastValue - first);
        }),
      ),
  },
};

/** @param sinceMs of what the note is made of: what was measured before is not of now */
export function noteOf(id: NoteId, watch: Watch, sinceMs: number, nowMs: number): Note {
  const { title, unit, panel, value } = RULES[id];
  const points: Points = (kept, overMs) => pointsSince(kept, nowMs - overMs, nowMs);
  return { id, title, unit, value: value(watch.history.of(panel, sinceMs), points) };
}

function known(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
