import { el } from '../../../ui/dom.js';
import { figure } from './units.js';
import type { Unit } from '../panels/panel.js';

/** `spoken`: the title for screen readers, where none is shown. */
export type TableColumns = readonly (readonly [
  title: string,
  className?: string,
  spoken?: string,
])[];

/** A table with a caption for screen readers. */
export function plainTable(
  caption: string,
  columns: TableColumns,
  rows: readonly HTMLTableRowElement[],
  className = '',
) {
  const head = columns.map(([title, column = '', spoken]) => {
    const sr = spoken === undefined ? '' : el('span', { className: 'sr', textContent: spoken });
    return el('th', { scope: 'col', className: column }, title, sr);
  });
  return el(
    'table',
    { className },
    el('caption', { className: 'sr', textContent: caption }),
    el('thead', {}, el('tr', {}, ...head)),
    el('tbody', {}, ...rows),
  );
}

/** A table that is scrolled, also with the arrow keys, where it is larger than its place. */
export function scrolled(label: string, table: HTMLTableElement, className = 'wide') {
  const ariaLabel = `Table: ${label}`;
  return el('div', { className, tabIndex: 0, role: 'region', ariaLabel }, table);
}

export function table(
  caption: string,
  columns: TableColumns,
  rows: readonly HTMLTableRowElement[],
) {
  return scrolled(caption, plainTable(caption, columns, rows));
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
