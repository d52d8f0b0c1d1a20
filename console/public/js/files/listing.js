import { call, query } from '../api.js';
import { $, el } from '../dom.js';
import { showContainers } from '../containers.js';
import { rename } from './actions.js';
import { rowOf } from './rows.js';
import { showSelection } from './selection.js';
import { go, may, view } from './state.js';

const PAGE = 100;

export const loadContainers = () => showContainers(view.container, (name) => go(name, ''));

/** Reads the page that the view is of, or the one beside it. */
export async function load(parameters = {}) {
  view.selected.clear();
  const { container, prefix } = view;
  showCrumbs();
  showTools();
  if (container === null) return show([], 'Choose a container, or make one.');
  $('#main').setAttribute('aria-busy', 'true');
  $('#state').textContent = 'Loading…';
  try {
    if (view.trash) {
      const { items } = await call('GET', `/api/files/trash?${query({ container })}`);
      const rows = items.map((one) => ({
        kind: 'object',
        name: one.trash_name,
        display: one.name,
        bytes: one.bytes,
        last_modified: new Date(one.deleted_unix_ms).toISOString(),
      }));
      return show(rows.reverse(), 'The trash is empty.');
    }
    const page = await call(
      'GET',
      `/api/files/objects?${query({ container, prefix, limit: String(PAGE), ...parameters })}`,
    );
    Object.assign(view, { next: page.next_marker, previous: page.previous_marker });
    // The folder's own object is the folder.
    const rows = page.items.filter((row) => row.name !== prefix);
    const full = page.items.length === PAGE;
    const back = parameters.reverse === '1';
    $('#next').disabled = !(back || full);
    $('#previous').disabled = !(back ? full : 'marker' in parameters);
    return show(rows, 'This folder is empty. Drop files here.');
  } catch (error) {
    show([], 'This cannot be shown.');
    throw error;
  }
}

/** Rows of whatever origin; without any, the text. */
export function show(rows, emptyText) {
  view.rows = rows;
  $('#main').setAttribute('aria-busy', 'false');
  $('#state').textContent = rows.length === 0 ? emptyText : '';
  if (view.trash || view.container === null) $('#next').disabled = $('#previous').disabled = true;
  redraw();
}

/** The rows again, as they are selected now. */
export function redraw() {
  $('#rows').replaceChildren(...view.rows.map((row) => rowOf(row, rename)));
  showSelection();
}

function showCrumbs() {
  const { container, prefix, trash } = view;
  const parts = prefix.split('/').slice(0, -1);
  const crumbs = container === null ? [] : [[container, '']];
  parts.forEach((part, index) =>
    crumbs.push([part === '' ? '(empty)' : part, `${parts.slice(0, index + 1).join('/')}/`]),
  );
  $('#crumbs').replaceChildren(
    ...crumbs.flatMap(([text, path]) => [
      el('button', { textContent: text, onclick: () => go(container, path) }),
      ' / ',
    ]),
    ...(trash ? ['Trash'] : []),
  );
}

function showTools() {
  const usable = view.container !== null && !view.trash;
  $('#upload').hidden = $('#new-folder').hidden = !(usable && may('member'));
  $('#show-trash').hidden = view.container === null;
  $('#show-trash').textContent = view.trash ? 'Back to files' : 'Trash';
}
