import type { ActiveAlert } from './alerts/evaluator.js';
import type { Kept } from './history/history.js';
import { hasLabels } from './labels.js';
import { noteOf, type Note } from './notes.js';
import type { Unit } from './panels/panel.js';
import { reduce, TILES, type Tile } from './tiles.js';
import { stepOf } from './step.js';
import type { Watch } from './watch.js';

export type TileState = 'ok' | 'warn' | 'crit' | 'unknown';

/** A tile as the page has it (docs/console.md). */
export interface TileView {
  readonly id: string;
  readonly title: string;
  readonly value: number | null;
  readonly of?: number;
  readonly unit: Unit;
  readonly state: TileState;
  readonly reason?: string;
  readonly last_unix_s: number | null;
  readonly notes: readonly Note[];
  readonly panel: string;
  readonly spark?: readonly (readonly [number, number | null])[];
}

const SPARK_S = 3600;
const SPARK_POINTS_MAX = 60;

interface TilesOptions {
  readonly withSpark: boolean;
  /** Names of those that are to be heard of, for what nodes say. */
  readonly nodes: readonly string[];
  /** How often something is measured. */
  readonly intervalS: number;
}

export function tilesOf(
  watch: Watch,
  nowMs: number,
  { withSpark, nodes, intervalS }: TilesOptions,
): TileView[] {
  return TILES.map((tile) => {
    const view = tileView(tile, watch, nowMs, nodes);
    return withSpark ? { ...view, spark: sparkOf(tile, watch, nowMs, intervalS) } : view;
  });
}

function tileView(tile: Tile, watch: Watch, nowMs: number, nodes: readonly string[]): TileView {
  const sinceMs = watch.freshSinceMs(tile.panel);
  const series = sinceMs === undefined ? [] : seriesOf(tile, watch, sinceMs);
  const value = reduce(
    tile.reduction,
    series.map(({ lastValue }) => lastValue),
  );
  const lastMs = watch.history.lastMs(tile.panel);
  const base = {
    id: tile.id,
    title: tile.title,
    unit: tile.unit,
    panel: tile.panel,
    last_unix_s: lastMs === undefined ? null : lastMs / 1000,
  };
  if (value === null) {
    const reason = watch.unknownBecause(tile.panel) ?? tile.empty;
    return { ...base, value, state: 'unknown', reason, notes: [] };
  }
  const { state, reason = missingNodes(series, nodes) } = judge(tile, series, watch.alerts);
  return {
    ...base,
    value,
    ...(tile.reduction === 'count_up' ? { of: series.length } : {}),
    state,
    ...(reason === undefined ? {} : { reason }),
    notes: tile.note === undefined ? [] : [noteOf(tile.note, watch, sinceMs ?? nowMs, nowMs)],
  };
}

function seriesOf({ panel, where = {} }: Tile, watch: Watch, sinceMs: number): Kept[] {
  return watch.history.of(panel, sinceMs).filter(({ labels }) => hasLabels(labels, where));
}

/** A pending alert colours its tile; how strongly, the alert says once it fires. */
function judge(
  tile: Tile,
  series: readonly Kept[],
  alerts: readonly ActiveAlert[],
): Pick<TileView, 'state' | 'reason'> {
  const own = alerts.filter(({ rule }) => rule.tile === tile.id && rule.severity !== 'info');
  const worst =
    own.find((alert) => alert.state === 'firing' && alert.rule.severity === 'critical') ?? own[0];
  if (worst !== undefined) {
    const isCritical = worst.state === 'firing' && worst.rule.severity === 'critical';
    return { state: isCritical ? 'crit' : 'warn', reason: worst.rule.title };
  }
  const down = series.filter(({ lastValue }) => lastValue !== 1).length;
  if (tile.reduction !== 'count_up' || down === 0) return { state: 'ok' };
  return { state: 'warn', reason: `${down} of ${series.length} are down` };
}

/** A sum over some of the nodes is no sum over all. */
function missingNodes(series: readonly Kept[], nodes: readonly string[]): string | undefined {
  const heard = new Set(series.map(({ labels }) => labels.node));
  if (!nodes.some((node) => heard.has(node))) return undefined;
  const missing = nodes.filter((node) => !heard.has(node));
  return missing.length === 0 ? undefined : `unknown for ${listed(missing)}`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ');
  return names.length <= 3 ? shown : `${shown} and ${names.length - 3} more`;
}

/** The last hour of a tile's figure, in few points. */
function sparkOf(
  tile: Tile,
  watch: Watch,
  nowMs: number,
  intervalS: number,
): (readonly [number, number | null])[] {
  const stepS = stepOf(SPARK_S, { intervalS, keptStepS: SPARK_S / SPARK_POINTS_MAX });
  const toS = Math.floor(nowMs / 1000 / stepS) * stepS;
  const range = { fromS: toS - SPARK_S + stepS, toS, stepS };
  const series = watch.history
    .range(tile.panel, range, nowMs)
    .filter(({ labels }) => hasLabels(labels, tile.where ?? {}));
  if (series.length === 0) return [];
  return (series[0]?.points ?? []).map(([time], index) => {
    const values = series.flatMap(({ points }) => {
      const value = points[index]?.[1];
      return value === undefined || value === null ? [] : [value];
    });
    // The mean of a minute in which it fell is not 1: it was not up.
    return [time, reduce(tile.reduction, values)] as const;
  });
}
