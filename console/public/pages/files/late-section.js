import { el, messageOf } from '../../js/dom.js';
import { skeleton } from '../../js/skeleton.js';

/** Sections of the details of an object that the console is asked for when the rest is there. */

/**
 * @param {string} title
 * @param {number} lines how many lines it will have, as far as that is known
 * @param {() => Promise<readonly Node[]>} work
 * @param {() => unknown} again what a click does after a failure
 */
export function lateSection(title, lines, work, again) {
  const section = el('section', {}, el('h3', { textContent: title }));
  section.dataset.late = title;
  const body = el('div', {}, skeleton(lines));
  section.append(body);
  section.setAttribute('aria-busy', 'true');
  const show = (/** @type {readonly Node[]} */ nodes) => {
    body.replaceChildren(...nodes);
    section.removeAttribute('aria-busy');
    section.style.minHeight = '';
  };
  work().then(show, (error) => {
    const button = el('button', { textContent: 'Try again', onclick: again });
    show([el('p', { className: 'error', textContent: messageOf(error) }), button]);
  });
  return section;
}

/**
 * Replaces details by newer ones of the same object: what is still on its way keeps the room that
 * it had, so that the page stays where it is.
 *
 * @param {HTMLElement} panel
 * @param {readonly Node[]} nodes
 */
export function replaceDetails(panel, nodes) {
  /** @type {() => NodeListOf<HTMLElement>} */
  const sections = () => panel.querySelectorAll('[data-late]');
  const hadFocus = panel.contains(document.activeElement);
  const heights = new Map([...sections()].map((one) => [one.dataset.late, one.offsetHeight]));
  panel.replaceChildren(...nodes);
  for (const one of sections()) {
    const height = heights.get(one.dataset.late);
    if (height === undefined || !one.hasAttribute('aria-busy')) continue;
    one.style.minHeight = `${height}px`;
  }
  // What had the focus is gone: the keyboard stays with these details.
  if (hadFocus) panel.focus({ preventScroll: true });
}
