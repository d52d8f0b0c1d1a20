import { query } from '../../js/api.js';
import { $, bytesText, el, shownText, timeText } from '../../js/dom.js';
import { markSelected } from './selection.js';
import { attempt, go, view } from './state.js';

/** @param showDetails - what opening a row's properties does */
export function rowOf(row, showDetails) {
  const label = labelOf(row);
  const isSelected = view.selected.has(row.name);
  const pick = el('input', { type: 'checkbox', checked: isSelected, tabIndex: -1 });
  pick.setAttribute('aria-label', `Select ${label}`);
  pick.onchange = () => {
    if (pick.checked) view.selected.add(row.name);
    else view.selected.delete(row.name);
    markSelected();
  };
  const name = el('button', { className: `name ${row.kind}`, textContent: label, tabIndex: -1 });
  name.onclick = () => attempt(() => openRow(row, showDetails));
  const actions = el('td', { className: 'act' });
  if (row.kind !== 'folder') {
    const more = el('button', { textContent: 'Properties', tabIndex: -1 });
    more.setAttribute('aria-label', `Properties: ${label}`);
    more.onclick = () => attempt(() => showDetails(row));
    actions.append(more);
  }
  const tr = el(
    'tr',
    { tabIndex: -1 },
    el('td', { className: 'pick' }, pick),
    el('td', { className: 'what' }, name, ...badgesOf(row)),
    el('td', {
      className: 'size',
      textContent: typeof row.bytes === 'number' ? bytesText(row.bytes) : '',
    }),
    el('td', { className: 'time', textContent: timeText(row.last_modified) }),
    actions,
  );
  tr.dataset.name = row.name;
  tr.setAttribute('aria-selected', String(isSelected));
  return tr;
}

/** A name that ends in slashes is a folder without a name: it is said, not left blank. */
function labelOf({ display }) {
  return shownText(display).replace(/^\/$|(?<=\/)\/$/, '(empty)/') || '(empty)';
}

function badgesOf({ slo_etag: slo, kind, content_type: type, expired }) {
  const badges = [];
  if (slo !== undefined) badges.push('segments');
  if (kind === 'object' && type === 'application/directory') badges.push('folder marker');
  if (kind === 'gone') badges.push('deleted');
  if (expired === true) badges.push('expired');
  return badges.map((text) => el('span', { className: 'badge', textContent: text }));
}

/** Folders open, objects come down; what lies in the trash shows what it is. */
export function openRow(row, showDetails) {
  if (row.kind === 'folder') return go(view.container, row.name);
  if (view.mode === 'trash') return showDetails(row);
  return download(row.name);
}

export function download(name) {
  const href = `/api/files/object/body?${query({ container: view.container, name })}`;
  el('a', { href, download: '' }).click();
}

/** The row that the keyboard is at: it alone can be reached with Tab. */
export function setActive(tr, focus = true) {
  for (const one of $('#rows').querySelectorAll('[tabindex="0"]')) one.tabIndex = -1;
  if (!tr) return;
  tr.tabIndex = 0;
  for (const one of tr.querySelectorAll('button, input')) one.tabIndex = 0;
  if (focus) tr.focus();
}
