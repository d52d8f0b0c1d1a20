import { timeAt } from '../../../ui/clock.js';
import { call, query } from '../../../ui/api.js';
import { $, countText, el, messageOf, shownText } from '../../../ui/dom.js';
import { readBuckets } from './bucket-list.js';
import { showCrumbs } from './crumbs.js';
import { EMPTY, emptyNodes, LOADING } from './empty.js';
import { pageOf, showPlace, type PageParameters } from './place.js';
import { rowOf, setActive } from './rows.js';
import { showSelection } from './selection.js';
import { isSorted, sortedRows } from './sorting.js';
import { containerHere, folder, keepsDeleted, stopSearch, view, type Row } from './state.js';
import { showTools, showTrashTools } from './tools.js';
import { trashRows } from './trash.js';
import type { FolderItem, ObjectItem } from '../container-routes.js';

interface Ways {
  next: string | null;
  previous: string | null;
  note?: string;
}

type Page = Ways & { rows: readonly Row[]; emptyText: string };

const PAGE = 100;
/** The rows that are sorted and selected at once: as many as the store lists in one answer. */
const WHOLE_MAX = 10_000;

/** Reads the buckets, which may have changed; they are counted where they are shown. */
export const loadContainers = () => readBuckets(view.container === null);

/** The actions of rows: the page gives them, since they need the listing in turn. */
let work: Parameters<typeof rowOf>[1] = { details: () => undefined, actions: () => [] };

export function onRows(given: Parameters<typeof rowOf>[1]) {
  work = given;
}

/** Shows the other tabs of a bucket: see `onRows`. */
let showSettings: () => Promise<unknown> = async () => undefined;

export function onSettings(given: () => Promise<unknown>) {
  showSettings = given;
}

let latest = 0;
/** The rows in the order in which the store, or a search, gave them. */
let listed: readonly Row[] = [];
/** The place of the rows on the page, so that they stay when reading them again fails. */
let shownPlace: string | null = null;
/** Which page of the place was asked for last; null for what is no page of one. */
let asked: PageParameters | null = {};
/** Where the page begins in the whole folder, while all of that is known. */
let start = 0;

/** Reads the page that the view is of, or the one beside it; a search ends with that. */
export async function load(parameters: PageParameters = {}) {
  stopSearch();
  $('#search-clear').hidden = true;
  const turn = ++latest;
  asked = parameters;
  showPlace({ ...pageOf(parameters), find: null });
  const place = JSON.stringify([view.container, view.prefix, view.mode]);
  view.selected.clear();
  showCrumbs();
  showTools();
  const isOpen = view.container !== null;
  $('#listing').hidden = !isOpen || view.mode === 'settings';
  $('#container-page').hidden = !isOpen || view.mode !== 'settings';
  if (!isOpen || view.mode === 'settings') {
    shownPlace = null;
    $('#main').setAttribute('aria-busy', 'false');
    if (!isOpen) return loadContainers();
    await loadDetails();
    await showSettings();
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
    const isPart = page.next !== null || page.previous !== null;
    const whole = isPart && isSorted() && view.mode === 'files' ? await readWhole() : null;
    // Meanwhile something else was opened.
    if (turn !== latest) return;
    if (place !== shownPlace) start = 0;
    shownPlace = place;
    view.whole = whole;
    if (whole === null) {
      showPages(page);
      show(page.rows, page.emptyText);
    } else showSlice();
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

/** Shows the frame of a list that comes from elsewhere, such as a search. */
export async function showFrame() {
  showCrumbs();
  $('#listing').hidden = false;
  $('#container-page').hidden = true;
  await loadDetails();
}

async function loadDetails() {
  if (view.details !== null) return;
  const container = containerHere();
  const details = await call('GET', `/api/files/container?${query({ name: container })}`).catch(
    // A user who may only read objects does not see the container.
    () => ({ name: container, versioning: 'none' as const, versioning_active: false }),
  );
  if (view.container === container) view.details = details;
  showTools();
}

async function filesPage(parameters: PageParameters): Promise<Page> {
  const { prefix } = view;
  const container = containerHere();
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
    rows: shownRows(items),
    next: isThere.next ? (items.at(-1)?.name ?? null) : null,
    previous: isThere.previous ? (items[0]?.name ?? null) : null,
    emptyText: before ? 'No more items.' : emptyTextOf(prefix, folder()),
  };
}

function shownRows(items: readonly (FolderItem | ObjectItem)[]): Row[] {
  const here = folder();
  // The folder's own object is the folder.
  return items
    .filter((row) => row.name !== here)
    .map((row) => ({ ...row, display: row.name.slice(here.length) }));
}

/** All rows of the folder; null where these are too many. */
async function readWhole(): Promise<Row[] | null> {
  const place = { container: containerHere(), prefix: view.prefix, limit: String(WHOLE_MAX) };
  const { items, next_marker: next } = await call('GET', `/api/files/objects?${query(place)}`);
  return next === null ? shownRows(items) : null;
}

/** A page of the whole folder, in its order. */
function showSlice() {
  const rows = sortedRows(view.whole ?? []);
  start = Math.min(start, lastStart(rows.length));
  const page = rows.slice(start, start + PAGE);
  showPages({
    next: start + PAGE < rows.length ? (page.at(-1)?.name ?? null) : null,
    previous: start > 0 ? (page[0]?.name ?? null) : null,
  });
  show(page, EMPTY);
}

const lastStart = (length: number) => Math.max(0, Math.ceil(length / PAGE) - 1) * PAGE;

/** Another page of the list, read from its top. */
export async function turnTo(to: 'first' | 'previous' | 'next' | 'last') {
  if (view.whole === null) {
    const pages: Record<typeof to, PageParameters> = {
      first: {},
      previous: { marker: view.previous, reverse: '1' },
      next: { marker: view.next },
      last: { reverse: '1' },
    };
    showPlace(pageOf(pages[to]), 'push');
    await load(pages[to]);
  } else {
    const last = lastStart(view.whole.length);
    start = { first: 0, previous: Math.max(0, start - PAGE), next: start + PAGE, last }[to];
    showSlice();
  }
  $('#main').scrollIntoView({ block: 'start' });
}

/** Selects all that is in the folder, on whatever page. */
export async function selectWhole() {
  const turn = latest;
  const whole = view.whole ?? (await readWhole());
  if (turn !== latest) return;
  if (whole === null) {
    const most = WHOLE_MAX.toLocaleString();
    throw new Error(
      `This folder has more than ${most} items. Select it as a folder, or select page by page.`,
    );
  }
  const first = view.rows[0]?.name;
  const at = sortedRows(whole).findIndex(({ name }) => name === first);
  start = Math.floor(Math.max(0, at) / PAGE) * PAGE;
  view.whole = whole;
  view.selected = new Set(whole.map(({ name }) => name));
  showSlice();
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
  const isHere = folder() === '' ? 'The trash is empty.' : 'The trash has nothing of this folder.';
  const emptyText = keepsDeleted() ? noneText : isHere;
  const note = truncated ? `Only the newest ${rows.length.toLocaleString()} items are shown.` : '';
  return { rows, next, previous: null, emptyText, note };
}

function showPages({ next, previous, note = '' }: Ways) {
  Object.assign(view, { next, previous });
  $('#next').disabled = next === null;
  // Deleted objects are read forwards only.
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
  const names = new Set((view.whole ?? rows).map(({ name }) => name));
  for (const name of view.selected) if (!names.has(name)) view.selected.delete(name);
  $('#state').replaceChildren(...(rows.length === 0 ? emptyNodes(emptyText) : []));
  $('#count').textContent = placeText(rows.length);
  $('#count').hidden = rows.length === 0;
  $('#objects').hidden = rows.length === 0;
  showSortNote();
  $('#rows').replaceChildren(...view.rows.map((row) => rowOf(row, work)));
  setActive($('#rows').firstElementChild, false);
  showTrashTools();
  showSelection();
}

function placeText(onPage: number) {
  const all = view.whole?.length ?? onPage;
  const items = countText(all, 'item');
  if (all === onPage) return items;
  return `${(start + 1).toLocaleString()}–${(start + onPage).toLocaleString()} of ${items}`;
}

/** The same rows in another order, and of a folder of several pages all of them. */
export async function showSorted() {
  const turn = latest;
  const isPart = view.next !== null || view.previous !== null;
  if (view.whole === null && isPart && isSorted() && view.mode === 'files') {
    const whole = await readWhole();
    if (turn !== latest) return;
    view.whole = whole;
  }
  start = 0;
  if (view.whole === null) show(listed, '');
  else if (isSorted()) showSlice();
  else await load();
}

/** The store sorts by name alone: another order is that of what is here. */
function showSortNote() {
  const isPart = view.next !== null || view.previous !== null;
  const text = `Sorted on this page only: the folder has more than ${WHOLE_MAX.toLocaleString()} items.`;
  const isOfPage = isSorted() && isPart && view.whole === null;
  $('#note').dataset.sorted = isOfPage ? text : '';
}

/** Shows a row anew of which more is known. */
export function redraw(row: Row) {
  const tr = [...$('#rows').children].find((one) => (one as HTMLElement).dataset.name === row.name);
  if (!tr) return;
  const hadFocus = tr.contains(document.activeElement);
  const isActive = (tr as HTMLElement).tabIndex === 0;
  const made = rowOf(row, work);
  tr.replaceWith(made);
  if (isActive) setActive(made, hadFocus);
}

/** Rows that are not of a place: what a search found. */
export function showFound(rows: readonly Row[], emptyText: string) {
  latest += 1;
  asked = null;
  shownPlace = null;
  view.whole = null;
  showPages({ next: null, previous: null });
  $('#main').setAttribute('aria-busy', 'false');
  $('#stale').hidden = true;
  show(rows, emptyText);
}

function showFreshness() {
  $('#stale').hidden = true;
  $('#as-of').textContent = `listed by the store at ${timeAt(Date.now() / 1000, 'second')}`;
}

/** Shown rows of this place stay, and are said to be old; else the failure is all. */
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
