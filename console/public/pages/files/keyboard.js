import { $, ask, el } from '../../js/dom.js';
import { closeDrawer, showDetails } from './drawer.js';
import { download, openRow, setActive } from './rows.js';
import { markSelected } from './selection.js';
import { attempt, containerHere, folder, go, view } from './state.js';

/** Keys of the table and of the page; the dialog of `?` lists them, and turns single letters off. */

/**
 * @typedef {import('./state.js').Row} Row
 * @typedef {(row: Row) => unknown} OfRow
 * @typedef {{ rename: OfRow, copy: OfRow, remove: OfRow }} Work
 * @typedef {Readonly<Record<string, () => unknown>>} Keys what each does
 * @typedef {readonly (readonly [key: string, text: string])[]} Listed
 */

const OFF = 'files-single-keys';
/** @type {Listed} */
const HELP = [
  ['↑ ↓ Home End', 'move between rows'],
  ['Enter', 'open a folder or the details of an object'],
  ['Space', 'select the row'],
  ['Shift ↑ ↓', 'extend the selection'],
  ['Ctrl A', 'select all rows'],
  ['Delete', 'delete the selection or the current row'],
  ['F2', 'rename'],
  ['Backspace', 'go to the parent folder'],
  ['Escape', 'close the details, then clear the selection'],
];
/** @type {Listed} */
const HELP_LETTERS = [
  ['d', 'download the current row'],
  ['p', 'show details of the current row'],
  ['c', 'copy or move'],
  ['/', 'search'],
  ['g', 'jump to names that start with…'],
  ['u', 'upload'],
  ['n', 'create folder'],
  ['t', 'trash'],
  ['r', 'refresh'],
  ['[ ]', 'go to the previous or next page'],
  ['?', 'this help'],
];

/** @param {Work} work what keys do that buttons do as well */
export function wireKeyboard(work) {
  $('#rows').addEventListener('keydown', (event) => onRowKey(event, work));
  $('#rows').addEventListener('focusin', ({ target }) =>
    setActive(/** @type {Element} */ (target).closest('tr'), false),
  );
  document.addEventListener('keydown', (event) => onPageKey(event, work));
  $('#help').onclick = () => attempt(showHelp);
}

/**
 * @param {KeyboardEvent} event
 * @param {Work} work
 */
function onRowKey(event, work) {
  const tr = /** @type {Element} */ (event.target).closest('tr');
  const row = view.rows.find(({ name }) => name === tr?.dataset.name);
  if (tr === null || row === undefined) return;
  const onControl = event.target !== tr;
  /** @type {Record<string, () => unknown>} */
  const keys = {
    ArrowDown: () => step(tr, tr.nextElementSibling, event.shiftKey),
    ArrowUp: () => step(tr, tr.previousElementSibling, event.shiftKey),
    Home: () => step(tr, $('#rows').firstElementChild, event.shiftKey),
    End: () => step(tr, $('#rows').lastElementChild, event.shiftKey),
    Delete: () => attempt(() => work.remove(row)),
    F2: () => attempt(() => work.rename(row)),
  };
  if (!onControl) {
    keys['Enter'] = () => attempt(() => openRow(row, showDetails));
    keys[' '] = () => toggle(row.name);
  }
  const key = keys[event.key];
  if (key !== undefined) {
    event.preventDefault();
    key();
  } else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    view.selected = new Set(view.rows.map(({ name }) => name));
    markSelected();
  }
}

/**
 * @param {HTMLElement} from
 * @param {Element | null} next none at the end
 * @param {boolean} extend
 */
function step(from, next, extend) {
  const to = /** @type {HTMLElement | null} */ (next);
  if (!to) return;
  if (extend) for (const one of [from, to]) view.selected.add(one.dataset.name ?? '');
  if (extend) markSelected();
  setActive(to);
}

/** @param {string} name */
function toggle(name) {
  if (!view.selected.delete(name)) view.selected.add(name);
  markSelected();
}

/**
 * @param {KeyboardEvent} event
 * @param {Work} work
 */
function onPageKey(event, work) {
  const target = /** @type {Element} */ (event.target);
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const inField = target.closest('input:not([type=checkbox]), textarea, select, dialog, pre');
  if (event.key === 'Escape' && !target.closest('dialog')) return onEscape();
  if (inField !== null) return;
  if (event.key === 'Backspace' && view.prefix !== '') {
    event.preventDefault();
    return goUp();
  }
  if (localStorage.getItem(OFF) === 'off' && event.key !== '?') return;
  const active = activeRow();
  /** @type {Keys} */
  const letters = {
    '?': () => attempt(showHelp),
    '/': () => $('#q').focus(),
    g: () => $('#jump-text').focus(),
    d: () => active?.kind === 'object' && view.mode === 'files' && download(active.name),
    p: () => active && attempt(() => showDetails(active)),
    c: () => active && attempt(() => work.copy(active)),
    u: () => press('#upload'),
    n: () => press('#new-folder'),
    t: () => press('#show-trash'),
    r: () => press('#refresh'),
    '[': () => press('#previous'),
    ']': () => press('#next'),
  };
  const letter = letters[event.key];
  if (letter === undefined) return;
  event.preventDefault();
  letter();
}

function onEscape() {
  if (!$('#drawer').hidden) return closeDrawer();
  view.selected.clear();
  return markSelected();
}

/** The row that has the focus, or would get it. */
export function activeRow() {
  const tr = $('#rows tr[tabindex="0"]');
  return view.rows.find(({ name }) => name === tr?.dataset.name);
}

/** @param {string} selector of a button */
function press(selector) {
  const button = /** @type {HTMLButtonElement} */ ($(selector));
  if (!button.hidden && !button.disabled) button.click();
}

function goUp() {
  const here = view.prefix.endsWith('/') ? view.prefix.slice(0, -1) : folder();
  go(containerHere(), here.slice(0, here.lastIndexOf('/') + 1));
}

async function showHelp() {
  const box = el('input', { type: 'checkbox', name: 'letters', value: '1' });
  box.checked = localStorage.getItem(OFF) !== 'off';
  box.onchange = () => localStorage.setItem(OFF, box.checked ? 'on' : 'off');
  const listOf = (/** @type {Listed} */ keys) => {
    const list = el('dl', { className: 'keys' });
    for (const [key, text] of keys) {
      list.append(el('dt', {}, el('kbd', { textContent: key })), el('dd', { textContent: text }));
    }
    return list;
  };
  await ask('Shortcuts', [
    el('h3', { textContent: 'In the file list' }),
    listOf(HELP),
    el('h3', { textContent: 'Anywhere' }),
    listOf(HELP_LETTERS),
    el('label', { className: 'check' }, box, ' Enable single-letter shortcuts'),
  ]);
}
