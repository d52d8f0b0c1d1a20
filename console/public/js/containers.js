import { call, query } from './api.js';
import { $, bytesText, el } from './dom.js';

/** The list at the left. */
export async function showContainers(current, open) {
  const { items } = await call('GET', `/api/files/containers?${query({ limit: '10000' })}`);
  const shown = items.filter((one) => one.kind === 'user' || $('#show-hidden').checked);
  $('#containers').replaceChildren(
    ...shown.map((one) => {
      const count = el('span', { className: 'quiet', textContent: String(one.objects) });
      const button = el(
        'button',
        { onclick: () => open(one.name) },
        el('span', { textContent: one.name }),
        count,
      );
      button.setAttribute('aria-current', String(one.name === current));
      button.title = `${one.objects} objects, ${bytesText(one.bytes)}`;
      return el('li', {}, button);
    }),
  );
  if (shown.length === 0)
    $('#containers').append(el('li', { className: 'quiet', textContent: 'No containers yet.' }));
}

export function markContainer(container) {
  for (const button of document.querySelectorAll('#containers button')) {
    button.setAttribute('aria-current', String(button.firstChild.textContent === container));
  }
}
