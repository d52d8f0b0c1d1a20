import { el } from './dom.js';

/** The places of what is on its way, so that nothing jumps when it comes. */

/** The text for screen readers in its place. */
const loading = () => el('span', { className: 'sr', textContent: 'Loading…' });

/** As many lines of text; `block` for one thing as high as a chart or a picture. */
export function skeleton(what: number | 'block') {
  const count = what === 'block' ? 1 : what;
  const lines = Array.from({ length: count }, () => el('span', { className: 'skeleton' }));
  const className = what === 'block' ? 'skeletons block' : 'skeletons';
  return el('div', { className }, loading(), ...lines);
}

/**
 * Fills a table that is empty yet: rows without content stand in it until the work is done.
 *
 * @param body of the table
 */
export async function withSkeletonRows(
  body: HTMLElement,
  { columns, rows = 4 }: { columns: number; rows?: number },
  work: () => Promise<void>,
) {
  const cell = () => el('td', {}, el('span', { className: 'skeleton' }));
  const row = () => el('tr', {}, ...Array.from({ length: columns }, cell));
  const made = body.childElementCount === 0 ? Array.from({ length: rows }, row) : [];
  for (const one of made) one.setAttribute('aria-hidden', 'true');
  body.append(...made);
  body.setAttribute('aria-busy', 'true');
  try {
    await work();
  } finally {
    for (const one of made) one.remove();
    body.removeAttribute('aria-busy');
  }
}
