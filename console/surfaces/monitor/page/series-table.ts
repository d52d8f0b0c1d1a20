import { timeAt } from '../../../ui/clock.js';
import { el } from '../../../ui/dom.js';
import { plainTable, scrolled } from './cells.js';
import { figure } from './units.js';
import type { Unit } from '../panels/panel.js';
import type { Columns } from './series.js';

/** The values of a chart, as a table: the newest first. */
export function seriesTable(
  title: string,
  names: readonly string[],
  [times, ...all]: Columns,
  unit: Unit,
) {
  const rows = times.map((time, at) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row', textContent: timeAt(time, 'full') }),
      ...all.map((values) => el('td', { textContent: figure(values[at] ?? null, unit) })),
    ),
  );
  const columns = ['Time', ...names].map((name) => [name] as const);
  const made = plainTable(`${title}, newest first`, columns, rows.reverse(), 'figures');
  return scrolled(title, made, 'scroller');
}
