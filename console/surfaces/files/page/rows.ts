import { query } from '../../../ui/api.js';
import { $, bytesText, countText, el, shownText } from '../../../ui/dom.js';
import { icon, iconButton } from '../../../ui/icons.js';
import { openMenu, type MenuItem } from '../../../ui/menu.js';
import { timeElement } from '../../../ui/times.js';
import { iconOf } from './file-icons.js';
import { markSelected } from './selection.js';
import { attempt, containerHere, go, view, type Row } from './state.js';

/** Shows what is known of a row that is no folder. */
type Details = (row: Row) => unknown;

/** @param work what a row does that is no folder, and what its menu offers */
export function rowOf(
  row: Row,
  { details, actions }: { details: Details; actions: (row: Row) => readonly MenuItem[] },
) {
  const label = labelOf(row);
  const isSelected = view.selected.has(row.name);
  const pick = el('input', { type: 'checkbox', checked: isSelected, tabIndex: -1 });
  pick.setAttribute('aria-label', `Select ${label}`);
  pick.onchange = () => {
    if (pick.checked) view.selected.add(row.name);
    else view.selected.delete(row.name);
    markSelected();
  };
  const open = () => attempt(() => openRow(row, details));
  const name = el('button', { className: 'name', title: label, tabIndex: -1, onclick: open });
  name.append(icon(iconOf(row)), el('span', { textContent: label }));
  const more = iconButton('ellipsis', `Actions for ${label}`, () => openMenu(more, actions(row)));
  more.tabIndex = -1;
  const size = sizeOf(row);
  const tr = el(
    'tr',
    { tabIndex: -1 },
    el('td', { className: 'pick' }, pick),
    el('td', { className: 'what' }, el('div', {}, name, ...badgesOf(row), ...expiryOf(row))),
    el('td', { className: 'size', textContent: size }),
    el('td', { className: 'time' }, timeElement(Date.parse(row.last_modified ?? ''))),
    el('td', { className: 'act' }, more),
  );
  tr.dataset.name = row.name;
  tr.dataset.kind = row.kind;
  showOpen(tr);
  tr.setAttribute('aria-selected', String(isSelected));
  tr.onclick = ({ target }) => {
    // Text that is marked with the mouse is to be copied.
    const isOnControl = (target as Element).closest('button, input') !== null;
    if (!isOnControl && String(getSelection()) === '') open();
  };
  return tr;
}

function sizeOf({ bytes, isCounting = false }: { bytes?: number | null; isCounting?: boolean }) {
  if (typeof bytes !== 'number') return '';
  return isCounting ? `${bytesText(bytes)}…` : bytesText(bytes);
}

/** A name that ends in slashes is a folder without a name: it is said, not left blank. */
function labelOf({ display }: Row) {
  return shownText(display).replace(/^\/$|(?<=\/)\/$/, '(empty)/') || '(empty)';
}

/** All that is shown of rows, of whatever kind they are. */
interface Shown {
  kind: Row['kind'];
  objects?: number;
  slo_etag?: string | undefined;
  content_type?: string;
  expires_unix_s?: number | null;
  expired?: boolean;
}

/** When what is in the trash will be gone. */
function expiryOf({ expires_unix_s: at, expired }: Shown) {
  if (at === undefined || at === null || expired === true) return [];
  return [el('span', { className: 'expiry quiet' }, 'expires ', timeElement(at * 1000))];
}

function badgesOf({ objects, slo_etag: slo, kind, content_type: type, expired }: Shown) {
  const badges = [];
  if (objects !== undefined) badges.push(countText(objects, 'object'));
  if (slo !== undefined) badges.push('segments');
  if (kind === 'object' && type === 'application/directory') badges.push('folder marker');
  if (kind === 'gone') badges.push('deleted');
  if (expired === true) badges.push('expired');
  return badges.map((text) => el('span', { className: 'badge', textContent: text }));
}

/** The name of the row whose details are shown. */
let opened: string | null = null;

/**
 * Marks the row whose details are shown, and no other.
 *
 * @param name null where none are
 */
export function markOpen(name: string | null) {
  opened = name;
  for (const row of $('#rows').children as Iterable<HTMLElement>) showOpen(row);
}

function showOpen(row: HTMLElement) {
  row.toggleAttribute('data-open', row.dataset.name === opened);
}

/** Marks a row whose object is listed, and is not there any more. */
export function markGone(name: string) {
  const rows = [...$('#rows').children] as HTMLElement[];
  const what = rows.find((row) => row.dataset.name === name)?.querySelector('.what > div');
  if (what?.querySelector('[data-gone]') !== null) return;
  const badge = el('span', { className: 'badge', textContent: 'expired or deleted' });
  badge.dataset.gone = '';
  what.append(badge);
}

/** Folders open; of anything else the details are shown. */
export function openRow(row: Row, details: Details) {
  if (row.kind !== 'folder') return details(row);
  go(containerHere(), row.name, view.mode);
  return undefined;
}

export function download(name: string) {
  const href = `/api/files/object/body?${query({ container: view.container, name })}`;
  el('a', { href, download: '' }).click();
}

/**
 * The row that the keyboard is at: it alone can be reached with Tab.
 *
 * @param given none where there are no rows
 */
export function setActive(given: Element | null | undefined, focus = true) {
  const tr = given as HTMLElement | null | undefined;
  for (const one of all($('#rows'), '[tabindex="0"]')) one.tabIndex = -1;
  if (!tr) return;
  tr.tabIndex = 0;
  for (const one of all(tr, 'button, input')) one.tabIndex = 0;
  if (focus) tr.focus();
}

function all(element: Element, selector: string): NodeListOf<HTMLElement> {
  return element.querySelectorAll(selector);
}
