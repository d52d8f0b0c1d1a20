import { el } from '../../js/dom.js';
import { latestIndex } from './series.js';
import { figure, timeAt } from './units.js';

/** @typedef {import('./units.js').Unit} Unit */

/**
 * The latest value of each series as a bar; ratios against one, others against the largest.
 *
 * @param {readonly string[]} names
 * @param {import('./series.js').Columns} columns
 * @param {Unit} unit
 */
export function bars(names, columns, unit) {
  const [times, ...all] = columns;
  const latest = latestIndex(columns);
  const values = all.map((one) => one[latest] ?? null);
  const most = unit === 'ratio' ? 1 : Math.max(0, ...values.filter((value) => value !== null));
  const list = names.map((name, index) => bar(name, values[index] ?? null, most, unit));
  return el(
    'div',
    {},
    el('ul', { className: 'bars' }, ...list),
    el('p', { className: 'quiet', textContent: `at ${timeAt(times[latest] ?? 0, 'second')}` }),
  );
}

/**
 * @param {string} name
 * @param {number | null} value null when it is not known: no bar then
 * @param {number} most
 * @param {Unit} unit
 * @param {string} [text]
 */
export function bar(name, value, most, unit, text = figure(value, unit)) {
  const share = value === null || most === 0 ? 0 : Math.min(1, Math.max(0, value / most));
  const fill = el('span', { className: 'fill' });
  fill.style.width = `${(share * 100).toFixed(1)}%`;
  const track = el('span', { className: 'track', ariaHidden: 'true' }, fill);
  const level =
    unit !== 'ratio' || value === null ? '' : value > 0.95 ? 'crit' : value > 0.85 ? 'warn' : '';
  const item = el(
    'li',
    {},
    el('span', { className: 'name', textContent: name }),
    track,
    el('span', {
      className: 'figure',
      textContent: level === '' ? text : `${text} ${level === 'crit' ? '✖' : '▲'}`,
    }),
  );
  if (level !== '') item.dataset.state = level;
  if (value === null) item.dataset.state = 'unknown';
  return item;
}
