import { el, messageOf } from '../../../ui/dom.js';
import { skeleton } from '../../../ui/skeleton.js';

/** Sections of the details of an object that the console is asked for when the rest is there. */

/**
 * @param lines how many lines it will have, as far as that is known
 * @param again what a click does after a failure
 */
export function lateSection(
  title: string,
  lines: number,
  work: () => Promise<readonly Node[]>,
  again: () => unknown,
) {
  const body = el('div', {}, skeleton(lines));
  const section = el('section', {}, el('h3', { textContent: title }), body);
  section.dataset.late = title;
  section.setAttribute('aria-busy', 'true');
  const show = (nodes: readonly Node[]) => {
    body.replaceChildren(...nodes);
    section.removeAttribute('aria-busy');
    section.style.minHeight = '';
  };
  work().then(show, (error: unknown) => show(failureNodes(error, again)));
  return section;
}

/** The words of a failure, and a button for another try. */
export function failureNodes(error: unknown, again: () => unknown) {
  return [
    el('p', { className: 'error', textContent: messageOf(error) }),
    el('button', { textContent: 'Try again', onclick: again }),
  ];
}

/**
 * Replaces details by newer ones of the same object: what is still on its way keeps the room that
 * it had, so that the page stays where it is.
 */
export function replaceDetails(panel: HTMLElement, nodes: readonly Node[]) {
  const sections: () => NodeListOf<HTMLElement> = () => panel.querySelectorAll('[data-late]');
  const hadFocus = panel.contains(document.activeElement);
  const heights = new Map([...sections()].map((one) => [one.dataset.late, one.offsetHeight]));
  panel.replaceChildren(...nodes);
  for (const one of sections()) {
    const height = heights.get(one.dataset.late);
    if (height === undefined || !one.hasAttribute('aria-busy')) continue;
    one.style.minHeight = `${height}px`;
  }
  // The element that had the focus is gone: the keyboard stays with these details.
  if (hadFocus) panel.focus({ preventScroll: true });
}
