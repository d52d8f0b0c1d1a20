import { timeAt } from '../../../ui/clock.js';
import { el } from '../../../ui/dom.js';
import { csvOf } from './series.js';
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
  const head = ['Time', ...names].map((text) => el('th', { scope: 'col', textContent: text }));
  const rows = times.map((time, at) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row', textContent: timeAt(time, 'full') }),
      ...all.map((values) => el('td', { textContent: figure(values[at] ?? null, unit) })),
    ),
  );
  const table = el(
    'table',
    { className: 'figures' },
    el('caption', { className: 'sr', textContent: `${title}, newest first` }),
    el('thead', {}, el('tr', {}, ...head)),
    el('tbody', {}, ...rows.reverse()),
  );
  const scroller = el('div', { className: 'scroller', tabIndex: 0 }, table);
  scroller.setAttribute('role', 'region');
  scroller.setAttribute('aria-label', `Table: ${title}`);
  return scroller;
}

/** Hands the figures over as a file. */
export function downloadCsv(panel: string, names: readonly string[], columns: Columns) {
  const href = URL.createObjectURL(new Blob([csvOf(names, columns)], { type: 'text/csv' }));
  el('a', { href, download: `${panel}.csv` }).click();
  URL.revokeObjectURL(href);
}
