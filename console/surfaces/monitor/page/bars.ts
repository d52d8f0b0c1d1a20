import { timeAt } from '../../../ui/clock.js';
import { el } from '../../../ui/dom.js';
import { latestIndex, type Columns } from './series.js';
import { figure } from './units.js';
import type { Unit } from '../panels/panel.js';

/** The latest value of each series as a bar; ratios against one, others against the largest. */
export function bars(names: readonly string[], columns: Columns, unit: Unit) {
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

/** @param value null when it is not known: no bar then */
export function bar(
  name: string,
  value: number | null,
  most: number,
  unit: Unit,
  text: string = figure(value, unit),
) {
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
