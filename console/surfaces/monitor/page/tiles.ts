import { localTimes } from '../../../ui/clock.js';
import { $, durationText, el } from '../../../ui/dom.js';
import { addressOf } from './place.js';
import { sparkline, type Point } from './sparkline.js';
import { byReason, keepingFocus, stateMark } from './state.js';
import { figure, parts } from './units.js';
import type { Overview } from '../answers.js';
import type { TileView } from '../overview.js';
import type { PanelsView } from '../routes.js';

export type About = PanelsView['items'][number];

type Tile = Omit<TileView, 'panel' | 'last_unix_s'> & { panel?: string };

const SPARK_SECONDS = 3600;
const SPARK_STEP_S = 60;

/** Sparks are not sent with every event: they go on here, with what the events say. */
const sparks = new Map<string, Point[]>();

/**
 * @param overview what the console says
 * @param aboutOf what the catalogue says of a panel
 * @param stale whether that is no longer known to be so
 * @returns how many tiles there are
 */
export function showTiles(
  { tiles, alerts, sources, at_unix_s: at }: Overview,
  aboutOf: (panel: string) => About | undefined,
  stale: boolean,
) {
  for (const tile of tiles) {
    if (tile.spark !== undefined) sparks.set(tile.id, [...tile.spark]);
    else extend(tile, at);
  }
  const host = $('#tiles');
  host.ariaBusy = 'false';
  const isMeasured = (tile: TileView) =>
    tile.value !== null || aboutOf(tile.panel)?.available !== false;
  const off = tiles.filter((tile) => !isMeasured(tile));
  const shown = [
    ...tiles.filter(isMeasured).map((tile) => tileOf(tile, aboutOf(tile.panel)?.tab)),
    tileOf(alertTile(alerts, sources, stale)),
  ];
  const rest = off.length === 0 ? [] : [offLine(off)];
  keepingFocus(host, () => host.replaceChildren(...shown, ...rest));
  return shown.length;
}

export function showLoadingTiles(count: number) {
  $('#tiles').replaceChildren(
    ...Array.from({ length: count }, () => el('div', { className: 'tile loading' })),
  );
}

/** Measures without a source are no trouble: a line says which, and what they lack. */
function offLine(tiles: readonly TileView[]) {
  const text = byReason(
    tiles.map(({ title, reason = 'no source configured' }) => ({ title, reason })),
  );
  return el('p', { className: 'quiet not-measured', textContent: `Not collected: ${text}.` });
}

/** The alerts below, counted. */
function alertTile(alerts: Overview['alerts'], sources: Overview['sources'], stale: boolean): Tile {
  const partly = sources.some(({ state }) => state === 'down');
  const firing = alerts.filter(({ state }) => state === 'firing');
  const critical = firing.filter(({ severity }) => severity === 'critical').length;
  const warning = firing.filter(({ severity }) => severity === 'warning').length;
  const counted = { critical, warning, pending: alerts.length - firing.length };
  const state = critical > 0 ? 'crit' : warning > 0 ? 'warn' : partly ? 'unknown' : 'ok';
  const notes = Object.entries(counted)
    .filter(([, value]) => value > 0)
    .map(([title, value]) => ({ id: title, title, value, unit: 'count' as const }));
  return {
    id: 'alerts',
    title: 'Alerts firing',
    unit: 'count',
    value: stale ? null : firing.length,
    state: stale ? 'unknown' : state,
    ...(partly && !stale && firing.length === 0 ? { reason: 'from responding sources only' } : {}),
    notes: stale ? [] : notes,
  };
}

/** @param at unix seconds */
function extend({ id, value }: TileView, at: number) {
  const spark = sparks.get(id) ?? [];
  const last = spark.at(-1);
  if (last !== undefined && at - last[0] < SPARK_STEP_S) spark.pop();
  spark.push([at, value]);
  sparks.set(
    id,
    spark.filter(([time]) => time > at - SPARK_SECONDS),
  );
}

/** @param tab that it leads to */
function tileOf(tile: Tile, tab?: string) {
  const { id, title, state, reason } = tile;
  const heading = el('h3');
  if (tab === undefined) heading.textContent = title;
  else {
    const link = el('a', { id: `tile-${id}`, textContent: title, href: addressOf({ tab }) });
    Object.assign(link.dataset, { tab, panel: tile.panel ?? '' });
    heading.append(link);
  }
  const box = el(
    'article',
    { className: 'tile' },
    el('div', { className: 'top' }, heading, stateMark(state)),
    valueOf(tile),
  );
  box.dataset.state = state;
  box.dataset.tile = id;
  const notes = tile.notes.map(noteOf).filter((text) => text !== '');
  const texts = reason ? [localTimes(reason), ...notes] : notes;
  box.append(
    sparkline(sparks.get(id) ?? []),
    el('p', { className: 'note', textContent: texts.join(' · '), title: reason ?? '' }),
  );
  return box;
}

function valueOf({ value, unit, of }: Tile) {
  if (value === null) return el('p', { className: 'value none', textContent: 'unknown' });
  const [number, sign] = parts(value, unit);
  const gap = unit === 'ratio' ? '' : ' ';
  const rest = typeof of === 'number' ? ` / ${figure(of, unit)}` : `${gap}${sign}`;
  return el('p', { className: 'value' }, number, el('small', { textContent: rest }));
}

function noteOf({ id, title, value, unit }: Tile['notes'][number]) {
  if (id === 'first_full_s') {
    return value === null
      ? 'no disk is expected to fill up'
      : `first disk full in ${durationText(value)}`;
  }
  if (value === null) return '';
  const sign = value > 0 && id.startsWith('slope') ? '+' : '';
  return `${sign}${figure(value, unit)} ${title}`;
}
