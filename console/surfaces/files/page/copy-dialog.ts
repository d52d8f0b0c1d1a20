import { call, query } from '../../../ui/api.js';
import { ask, el, shownText } from '../../../ui/dom.js';
import { folderPicker, slashed } from './folder-picker.js';
import { box, choice, quiet } from './s3/fields.js';
import { runTask } from './tasks.js';
import { containerHere, folder, view, type Row } from './state.js';

/** The folder that a name is in, and the last part of the name. */
function partsOf(name: string) {
  const bare = name.endsWith('/') ? name.slice(0, -1) : name;
  const at = bare.lastIndexOf('/') + 1;
  return { parent: name.slice(0, at), last: bare.slice(at) };
}

/** Another name in the same folder. */
export async function rename(row: Row) {
  const { container } = view;
  const isFolder = row.kind === 'folder';
  const { parent, last } = partsOf(row.name);
  const field = el('input', { name: 'name', value: last, required: true });
  field.autocomplete = 'off';
  const nodes: Node[] = [el('label', {}, 'New name', field)];
  if (isFolder)
    nodes.push(quiet('Renaming a folder is not atomic. Each object is copied, then deleted.'));
  const asked = ask('Rename', nodes, 'Rename', async ({ name }) => {
    if (String(name).includes('/'))
      throw new Error('A name has no slash. Use Move to put it in another folder.');
  });
  field.focus();
  // The name is changed more often than its extension.
  const dot = isFolder ? -1 : last.lastIndexOf('.');
  field.setSelectionRange(0, dot > 0 ? dot : last.length);
  const given = await asked;
  if (given === null || given.name === last) return;
  const name = String(given.name);
  const items = [{ name: row.name, to_name: `${parent}${name}${isFolder ? '/' : ''}` }];
  const body = { container, to_container: container, items };
  const done = `“${row.display}” renamed to “${name}”.`;
  await runTask(`Rename ${row.display}`, '/api/files/move', body, undefined, done);
}

const VERBS = { copy: 'Copy', move: 'Move' };

/**
 * Copies or moves rows to a folder of any container.
 *
 * @param chosen without it the dialog asks which of both
 */
export async function transferDialog(rows: readonly Row[], chosen?: 'copy' | 'move') {
  const container = containerHere();
  const start = folder();
  const kind = choice('Action', 'kind', Object.entries(VERBS), chosen);
  kind.node.hidden = chosen !== undefined;
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
  const picker = folderPicker(() => target.value, start);
  target.onchange = picker.show;
  const what = rows.length === 1 ? `“${rows[0]?.display}”` : `${rows.length} selected items`;
  const given = await ask(
    `${chosen === undefined ? 'Copy or move' : VERBS[chosen]} ${what}`,
    [
      el(
        'div',
        { className: chosen === undefined ? 'pair' : '' },
        kind.node,
        el('label', {}, 'Destination bucket', target),
      ),
      names,
      ...picker.nodes,
      box('Overwrite existing objects', { name: 'overwrite' }).node,
      el('p', {
        className: 'quiet',
        hidden: chosen === 'copy',
        textContent: 'Moving is not atomic. Each object is copied, then deleted.',
      }),
    ],
    chosen === undefined ? 'Start' : VERBS[chosen],
    async ({ to = '', folder: entered = '' }) => {
      const into = slashed(entered);
      if (to === container && into === start)
        throw new Error('The items are already in this folder.');
      const inside = rows.find(({ name }) => name.endsWith('/') && into.startsWith(name));
      if (to === container && inside !== undefined) {
        throw new Error(`Cannot copy or move ${inside.name} into itself.`);
      }
      await call('GET', `/api/files/container?${query({ name: to })}`);
    },
  );
  if (given === null) return;
  const { to = '', folder: entered = '', kind: work = '' } = given;
  const into = slashed(entered);
  const isMove = work === 'move';
  const body = {
    container,
    to_container: to,
    overwrite: given.overwrite === '1',
    items: rows.map(({ name }) => ({ name, to_name: into + name.slice(start.length) })),
  };
  const title = `${isMove ? VERBS.move : VERBS.copy} ${what} to ${to}`;
  const done = isMove ? `${what} moved to “${shownText(`${to}/${into}`)}”.` : '';
  await runTask(title, `/api/files/${work}`, body, undefined, done);
}
