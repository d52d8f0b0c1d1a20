import { $, bytesText } from '../../../ui/dom.js';
import { may, view, type Row } from './state.js';

export function showSelection() {
  const count = view.selected.size;
  const inTrash = view.mode === 'trash';
  // One in the place of the other: the table stays where it is.
  $('#tools-place').hidden = count > 0;
  $('#tools-selection').hidden = count === 0;
  const bytes = selectedRows().reduce((sum, row) => sum + (row.bytes ?? 0), 0);
  const isPart = view.next !== null || view.previous !== null;
  const isOffered = isPart && !inTrash && count !== (view.whole?.length ?? 0);
  // The offer to select more takes the room of the size.
  const size = isOffered ? '' : `, ${bytesText(bytes)}`;
  $('#selected').textContent = count === 0 ? '' : `${count.toLocaleString()} selected${size}`;
  const onPage = view.rows.filter(({ name }) => view.selected.has(name)).length;
  $('#all').checked = count > 0 && onPage === view.rows.length;
  $('#all').indeterminate = count > 0 && onPage < view.rows.length;
  $('#select-all').hidden = !isOffered;
  $('#zip').hidden = count === 0 || inTrash;
  $('#copy').hidden = $('#delete').hidden = count === 0 || inTrash || !may('member');
  const isOne = count === 1 && !inTrash && selectedRows()[0]?.kind === 'object';
  $('#share').hidden = !isOne || !may('member');
  $('#restore').hidden = count === 0 || !inTrash || !may('member');
  $('#purge').hidden = count === 0 || !inTrash || !may('admin');
}

export function selectedRows() {
  return (view.whole ?? view.rows).filter((row) => view.selected.has(row.name));
}

/** The selection, as the API takes it: objects by name, folders by prefix. */
export function chosen(rows: readonly Row[] = selectedRows()) {
  const namesOf = (kind: Row['kind']) =>
    rows.filter((row) => row.kind === kind).map((row) => row.name);
  return { container: view.container, names: namesOf('object'), prefixes: namesOf('folder') };
}

/** Shows in the table what is selected now, without making it anew. */
export function markSelected() {
  for (const one of $('#rows').children) {
    const tr = one as HTMLElement;
    const isSelected = view.selected.has(tr.dataset.name ?? '');
    tr.setAttribute('aria-selected', String(isSelected));
    (tr.querySelector('input') as HTMLInputElement).checked = isSelected;
  }
  showSelection();
}
