import { query } from '../api.js';
import { bytesText, el, timeText } from '../dom.js';
import { showProperties, showTempUrl } from '../properties.js';
import { showSelection } from './selection.js';
import { fail, go, may, view } from './state.js';

/** @param rename - what the button of that name does */
export function rowOf(row, rename) {
  const label = row.display === '/' ? '(empty)/' : row.display;
  const pick = el('input', { type: 'checkbox', checked: view.selected.has(row.name) });
  pick.setAttribute('aria-label', `Select ${label}`);
  pick.onchange = () => {
    if (pick.checked) view.selected.add(row.name);
    else view.selected.delete(row.name);
    showSelection();
  };
  const name = el('button', {
    className: 'name',
    textContent: row.kind === 'folder' ? `📁 ${label}` : label,
  });
  name.onclick = () => openRow(row);
  const actions = el('td', { className: 'act' });
  if (row.kind === 'object' && !view.trash) actions.append(...actionsOf(row, label, rename));
  return el(
    'tr',
    {},
    el('td', { className: 'pick' }, pick),
    el('td', {}, name),
    el('td', {
      className: 'size',
      textContent: row.bytes === undefined ? '' : bytesText(row.bytes),
    }),
    el('td', { className: 'time', textContent: timeText(row.last_modified) }),
    actions,
  );
}

function actionsOf(row, label, rename) {
  const button = (text, work) => {
    const one = el('button', { textContent: text, onclick: () => work().catch(fail) });
    one.setAttribute('aria-label', `${text}: ${label}`);
    return one;
  };
  const properties = button('Properties', () =>
    showProperties(view.container, row.name, may('member')),
  );
  if (!may('member')) return [properties];
  return [
    properties,
    ' ',
    button('Rename', () => rename(row.name)),
    ' ',
    button('Share', () => showTempUrl(view.container, row.name)),
  ];
}

/** Folders open, objects come down; what lies in the trash does neither. */
function openRow({ kind, name }) {
  if (kind === 'folder') return go(view.container, name);
  if (view.trash) return undefined;
  const href = `/api/files/object/body?${query({ container: view.container, name })}`;
  return el('a', { href, download: '' }).click();
}
