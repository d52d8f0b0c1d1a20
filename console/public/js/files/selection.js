import { $ } from '../dom.js';
import { may, view } from './state.js';

/** What is selected, and which buttons that gives. */
export function showSelection() {
  const count = view.selected.size;
  $('#selected').textContent = count === 0 ? '' : `${count} selected`;
  $('#all').checked = count > 0 && count === view.rows.length;
  $('#zip').hidden = count === 0 || view.trash;
  $('#delete').hidden = count === 0 || view.trash || !may('member');
  $('#restore').hidden = count === 0 || !view.trash || !may('member');
  $('#purge').hidden = count === 0 || !view.trash || !may('admin');
}

/** What is selected, as the API takes it: objects by name, folders by prefix. */
export function chosen() {
  const rows = view.rows.filter((row) => view.selected.has(row.name));
  const namesOf = (kind) => rows.filter((row) => row.kind === kind).map((row) => row.name);
  return { container: view.container, names: namesOf('object'), prefixes: namesOf('folder') };
}
