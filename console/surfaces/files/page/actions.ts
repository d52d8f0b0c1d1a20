import { ask, el, shownText } from '../../../ui/dom.js';
import { typedName } from '../../../ui/typed-name.js';
import { chosen, selectedRows } from './selection.js';
import { call } from '../../../ui/api.js';
import { load, show } from './listing.js';
import { containerHere, keepsDeleted, view } from './state.js';
import { runTask } from './tasks.js';
import { askConflict } from './trash.js';
import type { GoneRow, Row } from './state.js';

const TAKEN = 'restore_target_exists';

function count(rows: readonly Row[]) {
  return rows.length === 1 ? `“${rows[0]?.display}”` : `${rows.length} selected items`;
}

/** Moves rows to the trash, or deletes them where the container keeps versions. */
export async function removeRows(rows: readonly Row[]) {
  if (rows.length === 0) return;
  const kept = view.details?.s3 === true ? ' (adds a delete marker)' : '';
  const title = keepsDeleted() ? `Delete ${count(rows)}${kept}` : `Move ${count(rows)} to trash`;
  await runTask(title, '/api/files/delete', { ...chosen(rows), mode: 'trash' });
}

/** Brings back what is selected; asks where names are taken again. */
export async function restoreSelected() {
  const rows = selectedRows();
  const container = containerHere();
  if (keepsDeleted()) {
    await restoreVersions(container, rows as GoneRow[]);
    return;
  }
  const title = `Restore ${count(rows)}`;
  const restore = (names: readonly string[], choice: FormDataEntryValue) =>
    runTask(title, '/api/files/trash/restore', {
      container,
      trash_names: names,
      on_conflict: choice,
    });
  const result = await restore(
    rows.map(({ name }) => name),
    'fail',
  );
  const taken = (result?.failures ?? []).filter(({ code }) => code === TAKEN);
  if (taken.length === 0) return;
  const choice = await askConflict(taken.length);
  if (choice === null || choice === 'fail') return;
  await restore(
    taken.map(({ name }) => name),
    choice,
  );
}

async function restoreVersions(container: string, rows: readonly GoneRow[]) {
  for (const { name, restore_id: id } of rows) {
    if (id === null) throw new Error(`“${name}” has no version left to restore.`);
    await call('POST', '/api/files/versions/restore', { container, name, version_id: id });
  }
  await load();
  // The store's listing may lag behind: what was restored is no more among the deleted.
  const restored = new Set(rows.map(({ name }) => name));
  show(
    view.rows.filter(({ name }) => !restored.has(name)),
    'No deleted files here.',
  );
}

export async function purgeSelected() {
  const rows = selectedRows();
  const container = containerHere();
  const isS3 = view.details?.s3 === true;
  const text = isS3
    ? `${count(rows)} will be permanently deleted, with all versions and delete markers.`
    : `${count(rows)} will be permanently deleted.`;
  const nodes: Node[] = [el('p', { textContent: text })];
  const label = `Type the container name “${shownText(container)}” to confirm`;
  const typed = isS3 ? typedName(container, { label }) : null;
  if (typed !== null) nodes.push(typed.node);
  const check = async () => typed?.given();
  const danger = { danger: true };
  const given = await ask('Delete permanently', nodes, 'Delete permanently', check, danger);
  if (given === null) return;
  const title = `Permanently delete ${count(rows)}`;
  if (keepsDeleted()) {
    const names = rows.map(({ name }) => name);
    await runTask(title, '/api/files/delete', {
      container,
      names,
      mode: 'purge',
      ...typed?.given(),
    });
    return;
  }
  await runTask(title, '/api/files/trash/purge', {
    container,
    trash_names: rows.map(({ name }) => name),
  });
}
