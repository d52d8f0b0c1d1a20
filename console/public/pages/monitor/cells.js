import { el } from '../../js/dom.js';
import { figure } from './units.js';

/**
 * A table of the page: columns are `[title, class]`, rows are elements.
 *
 * @param {string} caption
 * @param {readonly (readonly [title: string, className?: string])[]} columns
 * @param {readonly HTMLTableRowElement[]} rows
 */
export function table(caption, columns, rows) {
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

/**
 * What is not known is no zero: it says so.
 *
 * @param {number | null | undefined} value
 * @param {import('./units.js').Unit} unit
 */
export function numberCell(value, unit) {
  const known = value !== null && value !== undefined;
  return el('td', {
    className: known ? 'number' : 'number quiet',
    textContent: figure(value, unit),
  });
}

/**
 * Unknown because the thing has no such figure: a dash.
 *
 * @param {number | string | null | undefined} value
 */
export function plainCell(value) {
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
