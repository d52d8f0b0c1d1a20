import { $, el, shownText } from '../../../ui/dom.js';
import { icon } from '../../../ui/icons.js';
import { containerHere, go, keepsDeleted, view } from './state.js';

/** The way to the folder that is shown, each step a button, and where that is. */
export function showCrumbs() {
  const { container, mode } = view;
  const here = containerHere();
  // The trash is the container's: of whichever folder it was opened.
  const prefix = mode === 'trash' && !keepsDeleted() ? '' : view.prefix;
  const parts = prefix.split('/');
  const rest = parts.pop();
  const crumbs: (readonly [text: string, path: string])[] =
    container === null ? [] : [[container, '']];
  parts.forEach((part, index) =>
    crumbs.push([part === '' ? '(empty)' : part, `${parts.slice(0, index + 1).join('/')}/`]),
  );
  const nodes: HTMLElement[] = crumbs.map(([text, path]) =>
    el('button', { textContent: shownText(text), onclick: () => go(here, path) }),
  );
  if (rest !== '')
    nodes.push(el('span', { className: 'badge', textContent: `${shownText(rest)}…` }));
  if (mode === 'settings') nodes.push(el('span', { textContent: 'Container settings' }));
  if (mode === 'trash') nodes.push(el('span', { textContent: deletedTitle() }));
  nodes.at(-1)?.setAttribute('aria-current', 'page');
  $('#crumbs').replaceChildren(
    ...nodes.flatMap((node, at) => (at === 0 ? [node] : [icon('chevron-right'), node])),
  );
}

/** What the place of deleted objects is called here. */
export function deletedTitle() {
  return keepsDeleted() ? 'Deleted files' : 'Trash';
}
