import { timeAt } from '../../../ui/clock.js';
import { call, query } from '../../../ui/api.js';
import { $, el, messageOf, shownText } from '../../../ui/dom.js';
import { icon } from '../../../ui/icons.js';
import { showContainers } from './containers.js';
import { deletedTitle, showCrumbs } from './crumbs.js';
import { rowOf, setActive } from './rows.js';
import { showSelection } from './selection.js';
import { isSorted, sortedRows } from './sorting.js';
import { containerHere, folder, go, keepsDeleted, may, stopSearch, view } from './state.js';
import { trashRows } from './trash.js';
import type { Row } from './state.js';

/** The page behind a name, or before it where `reverse`. */
export interface PageParameters {
  marker?: string | null;
  reverse?: '1';
}

/** Ways to other pages. */
interface Ways {
  next: string | null;
  previous: string | null;
  note?: string;
}

type Page = Ways & { rows: readonly Row[]; emptyText: string };

const PAGE = 100;
const LOADING = 'Loading…';
const EMPTY = 'This folder is empty.';

export const loadContainers = () => showContainers(view.container, (name) => go(name, ''));

/** What the rows do: the page says it, since that needs the listing in turn. */
let work: Parameters<typeof rowOf>[1] = { details: () => undefined, actions: () => [] };

export function onRows(given: Parameters<typeof rowOf>[1]) {
  work = given;
}

/** What shows the page of a container: see `onRows`. */
let showSettings: () => Promise<unknown> = async () => undefined;

export function onSettings(given: () => Promise<unknown>) {
  showSettings = given;
}

let latest = 0;
/** The rows in the order in which the store, or a search, gave them. */
let listed: readonly Row[] = [];
/** What the rows on the page are of, so that they stay when reading them again fails. */
let shownPlace: string | null = null;
/** Which page of the place was asked for last; null for what is no page of one. */
let asked: PageParameters | null = {};

/** Reads the page that the view is of, or the one beside it; a search ends with that. */
export async function load(parameters: PageParameters = {}) {
  stopSearch();
  $('#search-clear').hidden = true;
  const turn = ++latest;
  asked = parameters;
  const place = JSON.stringify([view.container, view.prefix, view.mode]);
  view.selected.clear();
  showCrumbs();
  showTools();
  $('#listing').hidden = view.mode === 'settings';
  $('#container-page').hidden = view.mode !== 'settings';
  if (view.mode === 'settings') {
    shownPlace = null;
    await loadDetails();
    await showSettings();
    return;
  }
  if (view.container === null) {
    shownPlace = null;
    showPages({ next: null, previous: null });
    $('#as-of').textContent = '';
    show([], 'Select a container to view its contents.');
    return;
  }
  if (place !== shownPlace) {
    $('#stale').hidden = true;
    show([], LOADING);
  }
  $('#main').setAttribute('aria-busy', 'true');
  try {
    await loadDetails();
    const page = view.mode === 'trash' ? await trashPage(parameters) : await filesPage(parameters);
    // Meanwhile something else was opened.
    if (turn !== latest) return;
    shownPlace = place;
    showPages(page);
    show(page.rows, page.emptyText);
    showFreshness();
  } catch (error) {
    if (turn === latest) showFailure(error, place, parameters);
  } finally {
    if (turn === latest) $('#main').setAttribute('aria-busy', 'false');
  }
}

/** Reads the same page again; what a search found stays. */
export async function loadAgain() {
  if (asked !== null) await load(asked);
}

async function loadDetails() {
  if (view.details !== null) return;
  const container = containerHere();
  const details = await call('GET', `/api/files/container?${query({ name: container })}`).catch(
    // A user who may only read objects does not see the container.
    () => ({
      name: container,
      versioning: 'none' as const,
      versioning_active: false,
    }),
  );
  if (view.container === container) view.details = details;
  showTools();
}

async function filesPage(parameters: PageParameters): Promise<Page> {
  const { prefix } = view;
  const container = containerHere();
  const start = folder();
  const page = await call(
    'GET',
    `/api/files/objects?${query({ container, prefix, limit: String(PAGE + 1), ...parameters })}`,
  );
  const back = parameters.reverse === '1';
  // The one row too many says that there is a page beyond.
  const items = back ? page.items.slice(-PAGE) : page.items.slice(0, PAGE);
  const beyond = page.items.length > PAGE;
  const before = 'marker' in parameters;
  const isThere = { next: back ? before : beyond, previous: back ? beyond : before };
  return {
    // The folder's own object is the folder.
    rows: items
      .filter((row) => row.name !== start)
      .map((row) => ({ ...row, display: row.name.slice(start.length) })),
    next: isThere.next ? (items.at(-1)?.name ?? null) : null,
    previous: isThere.previous ? (items[0]?.name ?? null) : null,
    emptyText: before ? 'No more items.' : emptyTextOf(prefix, start),
  };
}

function emptyTextOf(prefix: string, start: string) {
  return prefix === start
    ? EMPTY
    : `No names here start with “${shownText(prefix.slice(start.length))}”.`;
}

async function trashPage(parameters: PageParameters): Promise<Page> {
  const { rows, truncated, next } = await trashRows(parameters);
  const noneText =
    next === null ? 'No deleted files here.' : 'None found yet. Select Next to continue.';
  const emptyText = keepsDeleted() ? noneText : 'The trash is empty.';
  const note = truncated ? `Only the newest ${rows.length.toLocaleString()} items are shown.` : '';
  return { rows, next, previous: null, emptyText, note };
}

function showPages({ next, previous, note = '' }: Ways) {
  Object.assign(view, { next, previous });
  $('#next').disabled = next === null;
  // What was deleted is read forwards only.
  $('#last').disabled = next === null || view.mode === 'trash';
  $('#previous').disabled = previous === null;
  // One that is read forwards only has pages before it, and no way to the one before.
  const isFirst = previous === null && (asked?.marker === undefined || asked.reverse === '1');
  $('#first').disabled = isFirst;
  $('#note').textContent = note;
  // One page needs no way to another.
  const isAll = next === null && isFirst;
  for (const id of ['first', 'previous', 'next', 'last']) $(`#${id}`).hidden = isAll;
}

/** Rows of whatever origin; without any, the text. */
export function show(rows: readonly Row[], emptyText: string) {
  listed = rows;
  view.rows = sortedRows(rows);
  const names = new Set(rows.map(({ name }) => name));
  for (const name of view.selected) if (!names.has(name)) view.selected.delete(name);
  $('#state').replaceChildren(...(rows.length === 0 ? emptyNodes(emptyText) : []));
  $('#count').textContent = rows.length === 1 ? '1 item' : `${rows.length} items`;
  $('#count').hidden = rows.length === 0;
  $('#objects').hidden = rows.length === 0;
  showSortNote();
  $('#rows').replaceChildren(...view.rows.map((row) => rowOf(row, work)));
  setActive($('#rows').firstElementChild, false);
  showSelection();
}

/** The same rows in another order. */
export function showSorted() {
  show(listed, '');
}

/** The store sorts by name alone: another order is that of what is on the page. */
function showSortNote() {
  const isPart = view.next !== null || view.previous !== null;
  $('#note').dataset.sorted = isSorted() && isPart ? 'Sorted on this page only.' : '';
}

/** Nothing to show: what this is, or where it will be, and the next step. */
function emptyNodes(text: string) {
  if (text === '') return [];
  const nextStep = (words: string, selector: string) =>
    el('button', { textContent: words, className: 'primary', onclick: () => $(selector).click() });
  if (view.container === null) {
    const steps = may('admin') ? [nextStep('Create container', '#new-container')] : [];
    return [icon('box'), text, ...steps];
  }
  if (text === EMPTY && may('member')) {
    const hint = el('span', { textContent: 'Drop files here or choose files.' });
    return [icon('folder-open'), text, hint, nextStep('Choose files', '#upload')];
  }
  if (text !== LOADING) return [icon('folder-open'), text];
  const lines = Array.from({ length: 6 }, () => el('span', { className: 'skeleton' }));
  return [el('span', { className: 'sr', textContent: text }), ...lines];
}

/** Rows that are not of a place: what a search found. */
export function showFound(rows: readonly Row[], emptyText: string) {
  latest += 1;
  asked = null;
  shownPlace = null;
  showPages({ next: null, previous: null });
  $('#main').setAttribute('aria-busy', 'false');
  $('#stale').hidden = true;
  show(rows, emptyText);
}

function showFreshness() {
  $('#stale').hidden = true;
  $('#as-of').textContent = `listed by the store at ${timeAt(Date.now() / 1000, 'second')}`;
}

/** What is shown of this place already stays, and is said to be old; else the failure is all. */
function showFailure(error: unknown, place: string, parameters: PageParameters) {
  const again = () => el('button', { textContent: 'Try again', onclick: () => load(parameters) });
  if (place === shownPlace) {
    const text = `${messageOf(error)} This list may be out of date (${$('#as-of').textContent}). `;
    $('#stale').replaceChildren(text, again());
    $('#stale').hidden = false;
    return;
  }
  shownPlace = null;
  show([], '');
  showPages({ next: null, previous: null });
  $('#state').replaceChildren(
    el('span', { className: 'error', textContent: messageOf(error) }),
    ' ',
    again(),
  );
}

/** A button has its words beside its icon. */
function setWords(selector: string, text: string) {
  const button = $(selector);
  (button.querySelector('.words') ?? button).textContent = text;
}

function showTools() {
  const inFiles = view.container !== null && view.mode === 'files';
  const canUpload = inFiles && may('member');
  for (const id of ['upload', 'upload-folder', 'new-folder']) $(`#${id}`).hidden = !canUpload;
  $('#jump').hidden = $('#search').hidden = !inFiles;
  const hasPlace = view.container !== null;
  $('#show-trash').hidden = $('#refresh').hidden = $('#container-info').hidden = !hasPlace;
  const isTrash = view.mode === 'trash';
  setWords('#show-trash', isTrash ? 'Back to files' : deletedTitle());
  $('#show-trash .icon').replaceWith(icon(isTrash ? 'arrow-left' : 'trash-2'));
  $('#changed').textContent = isTrash ? 'Deleted' : 'Last modified';
  setWords('#delete', keepsDeleted() ? 'Delete' : 'Move to trash');
}
