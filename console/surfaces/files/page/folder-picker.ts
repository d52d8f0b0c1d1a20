import { call, query } from '../../../ui/api.js';
import { el, messageOf, shownText } from '../../../ui/dom.js';
import { icon } from '../../../ui/icons.js';

/** Names that are looked through for folders. */
const NAMES_READ = 1000;

/**
 * A field for a folder, and below it the folders that are there: one is opened by a click, another
 * one is typed.
 *
 * @param container tells in which container
 */
export function folderPicker(container: () => string, start: string) {
  const field = el('input', { name: 'folder', value: start, placeholder: 'Top level' });
  field.autocomplete = 'off';
  const list = el('ul', { className: 'folders' });
  list.setAttribute('aria-label', 'Folders');
  const said = el('p', { className: 'quiet', role: 'status' });
  let latest = 0;
  const open = (prefix: string) => {
    field.value = prefix;
    return show();
  };
  const line = (name: string, text: string, prefix: string) => {
    const button = el('button', { type: 'button' }, icon(name), el('span', { textContent: text }));
    button.onclick = async () => {
      await open(prefix);
      // The button is gone: the keyboard stays in the list.
      (list.querySelector('button') ?? field).focus();
    };
    return el('li', {}, button);
  };
  const show = async () => {
    const turn = ++latest;
    const prefix = field.value === '' ? '' : slashed(field.value);
    const place = { container: container(), prefix, limit: String(NAMES_READ) };
    said.textContent = 'Loading…';
    try {
      const { items, next_marker: next } = await call('GET', `/api/files/objects?${query(place)}`);
      if (turn !== latest) return;
      const folders = items.filter(({ kind }) => kind === 'folder');
      const up = prefix.slice(0, prefix.slice(0, -1).lastIndexOf('/') + 1);
      list.replaceChildren(
        ...(prefix === '' ? [] : [line('arrow-up', 'Parent folder', up)]),
        ...folders.map(({ name, display }) => line('folder', shownText(display), name)),
      );
      const isNew = prefix !== '' && items.length === 0;
      const none = isNew ? 'A new folder.' : folders.length === 0 ? 'No folders here.' : '';
      const some = `Only the folders among the first ${NAMES_READ.toLocaleString()} names are shown.`;
      said.textContent = next === null ? none : some;
    } catch (error) {
      if (turn !== latest) return;
      list.replaceChildren();
      said.textContent = messageOf(error);
    }
  };
  field.onchange = show;
  void show();
  const nodes = [el('label', {}, 'Folder', field), list, said];
  return { nodes, show };
}

/** The beginning of the names in a folder. */
export function slashed(path: string) {
  return path === '' || path.endsWith('/') ? path : `${path}/`;
}
