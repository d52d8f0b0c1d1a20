import { el } from '../../js/dom.js';
import { csvOf } from './series.js';
import { figure, timeAt } from './units.js';

/**
 * @typedef {import('./series.js').Columns} Columns
 * @typedef {import('./units.js').Unit} Unit
 */

/**
 * What a chart shows, as a table: the newest first.
 *
 * @param {string} title
 * @param {readonly string[]} names
 * @param {Columns} columns
 * @param {Unit} unit
 */
export function seriesTable(title, names, [times, ...all], unit) {
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

/**
 * Hands the figures over as a file.
 *
 * @param {string} panel
 * @param {readonly string[]} names
 * @param {Columns} columns
 */
export function downloadCsv(panel, names, columns) {
  const href = URL.createObjectURL(new Blob([csvOf(names, columns)], { type: 'text/csv' }));
  el('a', { href, download: `${panel}.csv` }).click();
  URL.revokeObjectURL(href);
}
