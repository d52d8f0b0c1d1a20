import { $ } from '../../../ui/dom.js';
import type { Row as FileRow } from './state.js';

/**
 * The order of the rows on the page. The store lists by name; another order is that of the rows
 * that are here, which the page says where there are more.
 */

type Row = Pick<FileRow, 'kind' | 'display'> & {
  bytes?: number | null | undefined;
  last_modified?: string | undefined;
};

const order: { by: 'listed' | 'name' | 'size' | 'time'; down: boolean } = {
  by: 'listed',
  down: false,
};

const COMPARE: Record<'name' | 'size' | 'time', (a: Row, b: Row) => number> = {
  name: (a, b) => a.display.localeCompare(b.display, undefined, { numeric: true }),
  size: (a, b) => (a.bytes ?? -1) - (b.bytes ?? -1),
  time: (a, b) => Date.parse(a.last_modified ?? '') - Date.parse(b.last_modified ?? ''),
};

/** Whether the rows are in another order than the store has. */
export function isSorted() {
  return order.by !== 'listed';
}

/** Folders first, and among themselves by name. */
export function sortedRows<R extends Row>(rows: readonly R[]): R[] {
  const { by, down } = order;
  const rank = ({ kind }: Row) => (kind === 'folder' ? 0 : 1);
  return [...rows].sort((a, b) => {
    const folders = rank(a) - rank(b);
    if (folders !== 0 || by === 'listed') return folders;
    const compared = COMPARE[rank(a) === 0 && by !== 'name' ? 'name' : by](a, b);
    // A folder has neither size nor time.
    return (down && !(rank(a) === 0 && by !== 'name') ? -1 : 1) * (compared || 0);
  });
}

/** A click on a column's head sorts by it, the next one the other way round, the third one not. */
export function wireSorting(redraw: () => void) {
  for (const button of sortButtons('#objects')) {
    button.onclick = () => {
      const by = button.dataset.by as 'name' | 'size' | 'time';
      if (order.by !== by) Object.assign(order, { by, down: false });
      else if (!order.down) order.down = true;
      else Object.assign(order, { by: 'listed', down: false });
      markOrder('#objects', order);
      redraw();
    };
  }
}

/** The heads of a table that sort it. */
export function sortButtons(table: string): NodeListOf<HTMLElement> {
  return $(table).querySelectorAll('button.sort');
}

/** Says in the heads of a table how it is sorted. */
export function markOrder(table: string, { by, down }: { by: string; down: boolean }) {
  for (const button of sortButtons(table)) {
    const head = button.closest('th');
    if (button.dataset.by !== by) head?.removeAttribute('aria-sort');
    else head?.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  }
}
