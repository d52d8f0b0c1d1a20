import { $, el, shownText } from '../../../ui/dom.js';
import { icon } from '../../../ui/icons.js';
import { containerHere, go, keepsDeleted, view } from './state.js';

/** The way to the folder that is shown, each step a button, and where that is. */
export function showCrumbs() {
  const { container, mode } = view;
  const here = containerHere();
  // The settings are the bucket's, of whichever folder they were opened.
  const parts = (mode === 'settings' ? '' : view.prefix).split('/');
  const rest = parts.pop();
  // Deleted objects are found in the folder that they were in.
  const isTrash = mode === 'trash';
  const to = isTrash ? 'trash' : 'files';
  const crumbs: (readonly [text: string, work: () => void])[] =
    container === null ? [] : [[container, () => go(here, '')]];
  if (isTrash) crumbs.push([deletedTitle(), () => go(here, '', to)]);
  parts.forEach((part, index) =>
    crumbs.push([
      part === '' ? '(empty)' : part,
      () => go(here, `${parts.slice(0, index + 1).join('/')}/`, to),
    ]),
  );
  const nodes: HTMLElement[] = crumbs.map(([text, work]) =>
    el('button', { textContent: shownText(text), onclick: work }),
  );
  if (rest !== '')
    nodes.push(el('span', { className: 'badge', textContent: `${shownText(rest)}…` }));
  nodes.at(-1)?.setAttribute('aria-current', 'page');
  $('#crumbs').replaceChildren(
    ...nodes.flatMap((node, at) => (at === 0 ? [node] : [icon('chevron-right'), node])),
  );
}

/** The title of the place of deleted objects here. */
export function deletedTitle() {
  return keepsDeleted() ? 'Deleted files' : 'Trash';
}
