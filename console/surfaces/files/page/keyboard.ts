import { $, ask, el } from '../../../ui/dom.js';
import { closeDrawer, showDetails } from './drawer.js';
import { download, openRow, setActive } from './rows.js';
import { markSelected } from './selection.js';
import { attempt, containerHere, folder, go, view, type Row } from './state.js';

/** Keys of the table and of the page; the dialog of `?` lists them, and turns single letters off. */

type OfRow = (row: Row) => unknown;

interface Work {
  rename: OfRow;
  copy: OfRow;
  remove: OfRow;
}

/** The action of each key. */
type Keys = Readonly<Record<string, () => unknown>>;

type Listed = readonly (readonly [key: string, text: string])[];

const OFF = 'files-single-keys';
const HELP: Listed = [
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
const HELP_LETTERS: Listed = [
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

/** @param work what keys do that buttons do as well */
export function wireKeyboard(work: Work) {
  $('#rows').addEventListener('keydown', (event) => onRowKey(event, work));
  $('#rows').addEventListener('focusin', ({ target }) =>
    setActive((target as Element).closest('tr'), false),
  );
  document.addEventListener('keydown', (event) => onPageKey(event, work));
  $('#help').onclick = () => attempt(showHelp);
}

function onRowKey(event: KeyboardEvent, work: Work) {
  const tr = (event.target as Element).closest('tr');
  const row = view.rows.find(({ name }) => name === tr?.dataset.name);
  if (tr === null || row === undefined) return;
  const onControl = event.target !== tr;
  const keys: Record<string, () => unknown> = {
    ArrowDown: () => step(tr, tr.nextElementSibling, event.shiftKey),
    ArrowUp: () => step(tr, tr.previousElementSibling, event.shiftKey),
    Home: () => step(tr, $('#rows').firstElementChild, event.shiftKey),
    End: () => step(tr, $('#rows').lastElementChild, event.shiftKey),
    Delete: () => attempt(() => work.remove(row)),
    F2: () => attempt(() => work.rename(row)),
  };
  if (!onControl) {
    keys.Enter = () => attempt(() => openRow(row, showDetails));
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

/** @param next none at the end */
function step(from: HTMLElement, next: Element | null, extend: boolean) {
  const to = next as HTMLElement | null;
  if (!to) return;
  if (extend) for (const one of [from, to]) view.selected.add(one.dataset.name ?? '');
  if (extend) markSelected();
  setActive(to);
}

function toggle(name: string) {
  if (!view.selected.delete(name)) view.selected.add(name);
  markSelected();
}

function onPageKey(event: KeyboardEvent, work: Work) {
  const target = event.target as Element;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const inField = target.closest('input:not([type=checkbox]), textarea, select, dialog, pre');
  if (event.key === 'Escape' && !target.closest('dialog')) {
    onEscape();
    return;
  }
  if (inField !== null) return;
  if (event.key === 'Backspace' && view.prefix !== '') {
    event.preventDefault();
    goUp();
    return;
  }
  if (localStorage.getItem(OFF) === 'off' && event.key !== '?') return;
  const active = activeRow();
  const letters: Keys = {
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
  if (!$('#drawer').hidden) {
    closeDrawer();
    return;
  }
  view.selected.clear();
  markSelected();
}

/** The row that has the focus, or would get it. */
function activeRow() {
  const tr = $('#rows tr[tabindex="0"]');
  return view.rows.find(({ name }) => name === tr?.dataset.name);
}

/** @param selector of a button */
function press(selector: string) {
  const button = $(selector) as HTMLButtonElement;
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
  const listOf = (keys: Listed) => {
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
