import { ask, bytesText, confirmed, countText, el, shownText } from '../../../ui/dom.js';
import { typedName } from '../../../ui/typed-name.js';
import { chosen, selectedRows } from './selection.js';
import { call, query } from '../../../ui/api.js';
import { show } from './listing.js';
import { containerHere, folder, keepsDeleted, view, type Row } from './state.js';
import { runTask } from './tasks.js';
import { askConflict } from './trash.js';
import type { FolderSize } from '../folder-routes.js';

const TAKEN = 'restore_target_exists';
/** The number of objects that go without a question. */
const UNASKED_MAX = 100;

function count(rows: readonly Row[]) {
  return rows.length === 1 ? `“${rows[0]?.display}”` : `${rows.length} selected items`;
}

/** Moves rows to the trash, or deletes them where the container keeps versions. */
export async function removeRows(rows: readonly Row[]) {
  if (rows.length === 0) return;
  const size = rows.some(({ kind }) => kind === 'folder') ? await sizeOf(rows) : null;
  const objects = size === null ? rows.length : size.objects;
  const sizes = size === null ? '' : ` (${sizeText(size)})`;
  const kept = view.details?.s3 === true ? ' (adds a delete marker)' : '';
  const what = count(rows);
  const title = keepsDeleted() ? `Delete ${what}${sizes}${kept}` : `Move ${what}${sizes} to trash`;
  if (objects > UNASKED_MAX) {
    const okText = keepsDeleted() ? 'Delete' : 'Move to trash';
    const text = `${size === null ? `${objects.toLocaleString()} objects` : sizeText(size)} ${
      keepsDeleted() ? 'will be deleted. Their versions are kept.' : 'will be moved to the trash.'
    }`;
    if (!(await confirmed(`${okText}: ${what}`, text, okText))) return;
  }
  const done = `${capital(what)} ${keepsDeleted() ? 'deleted' : 'moved to trash'}.`;
  const body = { ...chosen(rows), mode: 'trash' };
  await runTask(title, '/api/files/delete', body, undefined, done);
}

/** The objects and bytes that go with these rows: folders with all that is in them. */
async function sizeOf(rows: readonly Row[]): Promise<FolderSize> {
  const container = containerHere();
  let [objects, bytes] = [0, 0];
  let more: string | null = null;
  for (const row of rows) {
    if (row.kind === 'folder') {
      const place = query({ container, prefix: row.name });
      const found: FolderSize = await call('GET', `/api/files/folder?${place}`);
      objects += found.objects;
      bytes += found.bytes;
      more ??= found.next_marker;
    } else {
      objects += 1;
      bytes += row.bytes ?? 0;
    }
  }
  return { objects, bytes, next_marker: more };
}

/** How much a folder holds, in words. */
function sizeText({ objects, bytes, next_marker: more }: FolderSize) {
  const number = countText(objects, 'object');
  return more === null
    ? `${number}, ${bytesText(bytes)}`
    : `more than ${number}, more than ${bytesText(bytes)}`;
}

function capital(text: string) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function restoreRows(rows: readonly Row[]) {
  const { names, prefixes } = gone(rows);
  return restore(count(rows), names, prefixes);
}

export function restoreAll() {
  const here = folder();
  const what = here === '' ? 'everything' : `everything in “${here}”`;
  return restore(what, [], [keepsDeleted() ? view.prefix : here]);
}

function gone(rows: readonly Row[]) {
  const namesOf = (isFolder: boolean) =>
    rows.filter(({ kind }) => (kind === 'folder') === isFolder).map(({ name }) => name);
  return { names: namesOf(false), prefixes: namesOf(true) };
}

/** Asks where names are taken again. */
async function restore(what: string, names: readonly string[], prefixes: readonly string[]) {
  const container = containerHere();
  const title = `Restore ${what}`;
  const done = `${capital(what)} restored.`;
  if (keepsDeleted()) {
    const body = { container, names, prefixes };
    const result = await runTask(title, '/api/files/versions/undelete', body, undefined, done);
    if (result?.failed !== 0 || view.mode !== 'trash') return;
    // The store's listing may lag behind: what was restored is no more among the deleted.
    const restored = new Set(names);
    const isLeft = ({ name }: Row) =>
      !restored.has(name) && !prefixes.some((prefix) => name.startsWith(prefix));
    show(view.rows.filter(isLeft), 'No deleted files here.');
    return;
  }
  const run = (more: object) =>
    runTask(title, '/api/files/trash/restore', { container, ...more }, undefined, done);
  const result = await run({ trash_names: names, prefixes, on_conflict: 'fail' });
  const taken = (result?.failures ?? []).filter(({ code }) => code === TAKEN);
  if (taken.length === 0) return;
  const choice = await askConflict(taken.length);
  if (choice === null || choice === 'fail') return;
  await run({ trash_names: taken.map(({ name }) => name), on_conflict: choice });
}

export async function purgeSelected() {
  const rows = selectedRows();
  const container = containerHere();
  const isS3 = view.details?.s3 === true;
  const text = isS3
    ? `${count(rows)} will be permanently deleted, with all versions and delete markers.`
    : `${count(rows)} will be permanently deleted.`;
  const nodes: Node[] = [el('p', { textContent: text })];
  const label = `Type the bucket name “${shownText(container)}” to confirm`;
  const typed = isS3 ? typedName(container, { label }) : null;
  if (typed !== null) nodes.push(typed.node);
  const check = async () => typed?.given();
  const danger = { danger: true };
  const given = await ask('Delete permanently', nodes, 'Delete permanently', check, danger);
  if (given === null) return;
  const title = `Permanently delete ${count(rows)}`;
  const { names, prefixes } = gone(rows);
  if (keepsDeleted()) {
    const body = { container, names, mode: 'purge', ...typed?.given() };
    await runTask(title, '/api/files/delete', body);
    return;
  }
  await runTask(title, '/api/files/trash/purge', { container, trash_names: names, prefixes });
}

/** Deletes for good all that is in the trash by now. */
export async function emptyTrash() {
  const container = containerHere();
  const trash = query({ container: `${container}+trash` });
  const size = await call('GET', `/api/files/folder?${trash}`);
  const text = `Everything in the trash of “${shownText(container)}” (${sizeText(size)}) will be permanently deleted.`;
  if (!(await confirmed('Empty trash', text, 'Empty trash', { danger: true }))) return;
  const body = { container, prefixes: [''] };
  await runTask(`Empty the trash of ${container}`, '/api/files/trash/purge', body);
}
