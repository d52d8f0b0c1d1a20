import { ApiFailure, call, query } from '../../../ui/api.js';
import { countBuckets } from '../../../ui/bucket-sizes.js';
import { $, bytesText, countText, el } from '../../../ui/dom.js';
import { icon } from '../../../ui/icons.js';
import { amountText, fillLine, lineOf, type Line } from './bucket-line.js';
import { markOrder, sortButtons } from './sorting.js';
import { fail, may } from './state.js';
import type { MenuItem } from '../../../ui/menu.js';

/** The page of all buckets: a table that is filled while they are counted. */

/** The number of rows that a user looks through; more come on demand. */
const PAGE = 200;

type Key = 'name' | 'objects' | 'size' | 'versions' | 'uploads';

/** The values that columns are sorted by; unknown ones come last. */
const VALUES: Record<Exclude<Key, 'name'>, (line: Line) => number> = {
  objects: ({ item, size }) => size?.current.count ?? item.objects,
  size: ({ size }) => size?.current.bytes ?? -1,
  versions: ({ size }) => size?.noncurrent?.bytes ?? -1,
  uploads: ({ size }) => size?.uploads?.bytes ?? -1,
};

let lines: readonly Line[] = [];
let next: string | null = null;
const order: { by: Key; down: boolean } = { by: 'name', down: false };
let latest = 0;
let counting: AbortController | null = null;
/** The menu of a row: given by the page. */
let actions: (name: string) => readonly MenuItem[] = () => [];

export function onBuckets(given: (name: string) => readonly MenuItem[]) {
  actions = given;
}

/** The names that are known, for the command palette. */
export function knownBuckets() {
  return lines.filter(({ item }) => item.kind === 'user').map(({ item }) => item.name);
}

/**
 * Reads the buckets anew.
 *
 * @param isShown whether the page shows them: else they are not counted
 */
export async function readBuckets(isShown: boolean) {
  const turn = ++latest;
  try {
    const page = await read(null);
    if (turn !== latest) return;
    // The former counts are shown until the buckets are counted again.
    const former = new Map(lines.map((line) => [line.item.name, line]));
    lines = page.items.map((item) => ({ ...former.get(item.name), item }));
    next = page.items.length === PAGE ? page.next_marker : null;
    $('#open-container').hidden = true;
    draw();
    if (!isShown) return;
    leaveBuckets();
    describe(lines).catch(fail);
  } catch (error) {
    if (turn !== latest) return;
    $('#bucket-rows').removeAttribute('aria-busy');
    if (!(error instanceof ApiFailure && error.code === 'acl')) {
      // Rows that are known from before stay.
      for (const one of $('#bucket-rows').querySelectorAll('.skeleton'))
        one.closest('tr')?.remove();
      throw error;
    }
    // A user who is no owner may not list the account, but may read what others share.
    lines = [];
    next = null;
    draw();
    const refused = 'You do not have permission to list buckets. Open one by name:';
    $('#buckets-state').textContent = refused;
    $('#open-container').hidden = false;
  }
}

/** Ends the counting: another place is shown. */
export function leaveBuckets() {
  counting?.abort();
  counting = null;
}

function read(marker: string | null) {
  return call('GET', `/api/files/containers?${query({ limit: String(PAGE), marker })}`);
}

async function readMore() {
  const page = await read(next);
  const added = page.items.map((item) => ({ item }));
  lines = [...lines, ...added];
  next = page.items.length === PAGE ? page.next_marker : null;
  draw();
  describe(added).catch(fail);
}

function shownLines() {
  const wanted = $('#container-filter').value.trim().toLowerCase();
  const found = lines.filter(
    ({ item: { kind, name } }) =>
      (kind === 'user' || $('#show-hidden').checked) && name.toLowerCase().includes(wanted),
  );
  const { by, down } = order;
  const byName = (a: Line, b: Line) =>
    a.item.name.localeCompare(b.item.name, undefined, { numeric: true });
  const sign = down ? -1 : 1;
  if (by === 'name') return found.sort((a, b) => sign * byName(a, b));
  return found.sort((a, b) => sign * (VALUES[by](a) - VALUES[by](b)) || byName(a, b));
}

function draw() {
  const shown = shownLines();
  const active = focusedName();
  $('#bucket-rows').removeAttribute('aria-busy');
  $('#bucket-rows').replaceChildren(...shown.map((line) => lineOf(line, actions)));
  $('#bucket-table').hidden = shown.length === 0;
  $('#bucket-tools').hidden = lines.length === 0;
  const all = lines.some(({ item }) => item.kind === 'user') ? 'No matching buckets.' : null;
  $('#buckets-state').replaceChildren(
    ...(shown.length > 0 ? [] : all === null ? emptyNodes() : [icon('search'), all]),
  );
  $('#more-containers').hidden = next === null;
  const cut =
    next === null ? '' : ` Filter and order are of the first ${lines.length.toLocaleString()}.`;
  const count = countText(shown.length, 'bucket');
  $('#buckets-count').textContent = shown.length === 0 ? '' : `${count}.${cut}`;
  markOrder('#bucket-table', order);
  setActiveBucket(rowOf(active) ?? $('#bucket-rows').firstElementChild, active !== undefined);
}

function emptyNodes(): (Node | string)[] {
  const create = el('button', {
    className: 'primary',
    textContent: 'Create bucket',
    onclick: () => $('#new-container').click(),
  });
  return [icon('box'), 'No buckets yet.', ...(may('admin') ? [create] : [])];
}

/** Asks what the buckets are like, and counts them: the list does not wait for it. */
async function describe(given: readonly Line[]) {
  counting ??= new AbortController();
  const { signal } = counting;
  const byName = new Map(given.map((line) => [line.item.name, line]));
  const names = given.filter(({ item }) => item.kind === 'user').map(({ item }) => item.name);
  if (names.length === 0) return;
  const { items } = await call('POST', '/api/files/containers/details', { names });
  for (const details of items) fill(byName.get(details.name), { details });
  let left = names.length;
  try {
    await countBuckets(
      names,
      (batch, sizes) => {
        left -= batch.length;
        for (const name of batch) {
          const size = sizes.find((one) => one.name === name);
          fill(byName.get(name), size === undefined ? { isUncounted: true } : { size });
        }
        showTotal(left);
      },
      signal,
    );
  } catch (error) {
    for (const line of given) if (line.size === undefined) fill(line, { isUncounted: true });
    throw error;
  }
  // The order may depend on what was counted.
  if (!signal.aborted && order.by !== 'name') draw();
}

function fill(line: Line | undefined, known: Partial<Line>) {
  if (line === undefined) return;
  Object.assign(line, known);
  const row = rowOf(line.item.name);
  if (row !== null) fillLine(row, line);
}

function showTotal(left: number) {
  const sizes = lines.flatMap(({ size }) => (size === undefined ? [] : [size]));
  const bytes = sizes.reduce((sum, { current }) => sum + current.bytes, 0);
  const isPart = next !== null || sizes.some((size) => !size.is_complete);
  $('#buckets-total').textContent =
    left > 0
      ? `Counting… ${left} left`
      : `${amountText(bytesText(bytes), !isPart)} in current objects`;
}

/**
 * Asks anew what a bucket is like, after it was changed.
 *
 * @param name none while no bucket is open
 */
export function forgetDetails(name: string | null) {
  const line = lines.find(({ item }) => item.name === name);
  if (line === undefined) return;
  delete line.details;
  delete line.size;
}

/** The filter, the order, the keys of the table, and the box for those who may not list. */
export function wireBuckets(
  open: (name: string) => unknown,
  attempt: (work: () => unknown) => void,
) {
  $('#container-filter').oninput = draw;
  $('#show-hidden').onchange = draw;
  $('#more-containers').onclick = () => attempt(readMore);
  $('#open-container').onsubmit = (event) => {
    event.preventDefault();
    const name = $('#open-name').value.trim();
    if (name !== '') open(name);
  };
  for (const button of sortButtons('#bucket-table')) {
    button.onclick = () => {
      const by = button.dataset.by as Key;
      // Numbers begin with the largest.
      const down = order.by === by ? !order.down : by !== 'name';
      Object.assign(order, { by, down });
      draw();
    };
  }
  $('#bucket-rows').addEventListener('keydown', onKey);
  $('#bucket-rows').addEventListener('focusin', ({ target }) =>
    setActiveBucket((target as Element).closest('tr'), false),
  );
  $('#bucket-rows').addEventListener('click', ({ target }) => {
    const row = (target as Element).closest('tr');
    const isOnControl = (target as Element).closest('a, button') !== null;
    // Text that is marked with the mouse is to be copied.
    if (row === null || isOnControl || String(getSelection()) !== '') return;
    open(row.dataset.name ?? '');
  });
}

function onKey(event: KeyboardEvent) {
  const row = (event.target as Element).closest('tr');
  const rows = $('#bucket-rows');
  const to: Record<string, Element | null | undefined> = {
    ArrowDown: row?.nextElementSibling,
    ArrowUp: row?.previousElementSibling,
    Home: rows.firstElementChild,
    End: rows.lastElementChild,
  };
  if (!(event.key in to) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (to[event.key]) setActiveBucket(to[event.key], true);
}

/** Tab reaches one row; the arrows lead to the others. */
function setActiveBucket(row: Element | null | undefined, focus: boolean) {
  const controls = (of: Element): NodeListOf<HTMLElement> => of.querySelectorAll('a, button');
  for (const one of controls($('#bucket-rows'))) one.tabIndex = -1;
  if (!row) return;
  for (const one of controls(row)) one.tabIndex = 0;
  if (focus) controls(row)[0]?.focus();
}

function focusedName() {
  const { activeElement } = document;
  if (activeElement === null || !$('#bucket-rows').contains(activeElement)) return undefined;
  return activeElement.closest('tr')?.dataset.name;
}

function rowOf(name: string | undefined) {
  const rows = [...$('#bucket-rows').children] as HTMLElement[];
  return rows.find((row) => row.dataset.name === name) ?? null;
}
