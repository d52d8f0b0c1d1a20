import { el } from '../../../ui/dom.js';
import { figure } from './units.js';
import type { Unit } from '../panels/panel.js';

/** A table of the page: columns are `[title, class]`, rows are elements. */
export function table(
  caption: string,
  columns: readonly (readonly [title: string, className?: string])[],
  rows: readonly HTMLTableRowElement[],
) {
  const head = columns.map(([text, className = '']) =>
    el('th', { scope: 'col', className, textContent: text }),
  );
  const scroller = el(
    'div',
    // Scrolled with the arrow keys where it is wider than the page.
    { className: 'wide', tabIndex: 0 },
    el(
      'table',
      {},
      el('caption', { className: 'sr', textContent: caption }),
      el('thead', {}, el('tr', {}, ...head)),
      el('tbody', {}, ...rows),
    ),
  );
  scroller.setAttribute('role', 'region');
  scroller.setAttribute('aria-label', `Table: ${caption}`);
  return scroller;
}

/** An unknown value is no zero: it says so. */
export function numberCell(value: number | null | undefined, unit: Unit) {
  const known = value !== null && value !== undefined;
  return el('td', {
    className: known ? 'number' : 'number quiet',
    textContent: figure(value, unit),
  });
}

/** Unknown because the thing has no such figure: a dash. */
export function plainCell(value: number | string | null | undefined) {
  if (value !== null && value !== undefined) return el('td', { textContent: String(value) });
  return el('td', { className: 'quiet' }, dash());
}

export function dash() {
  return el(
    'span',
    {},
    el('span', { ariaHidden: 'true', textContent: '–' }),
    el('span', { className: 'sr', textContent: 'none' }),
  );
}
