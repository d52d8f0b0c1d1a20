import { call, query } from '../../../ui/api.js';
import { ask, el } from '../../../ui/dom.js';
import { runTask } from './tasks.js';
import { containerHere, folder, may, view } from './state.js';
import type { Row } from './state.js';

/** Another name for an object or a folder, in the same container. */
export async function rename(row: Row) {
  const { container } = view;
  const isFolder = row.kind === 'folder';
  const field = el('input', { name: 'name', value: row.name, required: true });
  const nodes: Node[] = [el('label', {}, 'New name (including folders)', field)];
  if (isFolder) {
    const textContent = 'Renaming a folder is not atomic. Each object is copied, then deleted.';
    nodes.push(el('p', { className: 'quiet', textContent }));
  }
  const given = await ask('Rename', nodes, 'Rename');
  if (given === null || given.name === row.name) return;
  const name = String(given.name);
  const target = isFolder && !name.endsWith('/') ? `${name}/` : name;
  await runTask(`Rename ${row.display}`, '/api/files/move', {
    container,
    to_container: container,
    items: [{ name: row.name, to_name: target }],
  });
}

/** Copies or moves rows to a folder of any container. */
export async function transferDialog(rows: readonly Row[]) {
  const container = containerHere();
  const start = folder();
  const kind = el('select', { name: 'kind' });
  kind.append(el('option', { value: 'copy', textContent: 'Copy' }));
  kind.append(el('option', { value: 'move', textContent: 'Move' }));
  const target = el('input', { name: 'to', value: container, required: true });
  target.setAttribute('list', 'container-names');
  const names = el('datalist', { id: 'container-names' });
  // A user who may not list containers types the name.
  call('GET', `/api/files/containers?${query({ limit: '1000' })}`).then(
    ({ items }) =>
      names.append(
        ...items
          .filter((one) => one.kind === 'user')
          .map(({ name }) => el('option', { value: name })),
      ),
    () => undefined,
  );
  const place = el('input', { name: 'folder', value: start, placeholder: 'Container root' });
  const overwrite = el('input', { name: 'overwrite', type: 'checkbox', value: '1' });
  const what = rows.length === 1 ? `“${rows[0]?.display}”` : `${rows.length} selected items`;
  const given = await ask(
    `Copy or move ${what}`,
    [
      el('label', {}, 'Action', kind),
      el('label', {}, 'Destination container', target),
      names,
      el('label', {}, 'Folder', place),
      el('label', { className: 'check' }, overwrite, ' Overwrite existing objects'),
      el('p', {
        className: 'quiet',
        textContent: 'Moving is not atomic. Each object is copied, then deleted.',
      }),
    ],
    'Start',
    async ({ to = '', folder: entered = '' }) => {
      const into = String(entered);
      const here = to === container && slashed(into) === start;
      if (here) throw new Error('The items are already in this folder.');
      const inside = rows.find(({ name }) => name.endsWith('/') && slashed(into).startsWith(name));
      if (to === container && inside !== undefined) {
        throw new Error(`Cannot copy or move ${inside.name} into itself.`);
      }
      await call('GET', `/api/files/container?${query({ name: to })}`);
    },
  );
  if (given === null) return;
  const into = slashed(String(given.folder));
  const verb = given.kind === 'move' ? 'Move' : 'Copy';
  await runTask(`${verb} ${what} to ${given.to}`, `/api/files/${given.kind}`, {
    container,
    to_container: given.to,
    overwrite: given.overwrite === '1',
    items: rows.map(({ name }) => ({ name, to_name: into + name.slice(start.length) })),
  });
}

/** The beginning of the names in a folder. */
function slashed(path: string) {
  return path === '' || path.endsWith('/') ? path : `${path}/`;
}

/** Whether rows can be copied or moved by this user. */
export function canTransfer(rows: readonly Row[]) {
  return rows.length > 0 && view.mode === 'files' && may('member');
}
