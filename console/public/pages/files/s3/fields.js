import { el, shownText } from '../../../js/dom.js';

/** What the dialogs of buckets and versions are made of. */

/** @param {string} text */
export function quiet(text) {
  return el('p', { className: 'quiet', textContent: text });
}

/**
 * A labelled choice.
 *
 * @param {string} label
 * @param {string} name
 * @param {readonly (readonly [string, string])[]} options values and texts
 * @param {string} value
 */
export function choice(label, name, options, value) {
  const select = el('select', { name });
  for (const [key, textContent] of options)
    select.append(el('option', { value: key, textContent }));
  select.value = value;
  return { select, node: el('label', {}, label, select) };
}

/**
 * A labelled field.
 *
 * @param {string} label
 * @param {Partial<HTMLInputElement>} properties
 */
export function field(label, properties) {
  const input = el('input', { autocomplete: 'off', ...properties });
  return { input, node: el('label', {}, label, input) };
}

/**
 * A labelled box.
 *
 * @param {string} label
 * @param {Partial<HTMLInputElement>} properties
 */
export function box(label, properties) {
  const input = el('input', { type: 'checkbox', value: '1', ...properties });
  return { input, node: el('label', { className: 'check' }, input, ` ${label}`) };
}

/**
 * Facts, term by term.
 *
 * @param {Readonly<Record<string, string>>} given
 */
export function factList(given) {
  const list = el('dl');
  for (const [term, text] of Object.entries(given)) {
    list.append(
      el('dt', { textContent: term, className: 'quiet' }),
      el('dd', { textContent: shownText(text) }),
    );
  }
  return list;
}

/**
 * A time for a field of the type `datetime-local`.
 *
 * @param {number} ms
 */
export function localTime(ms) {
  const time = new Date(ms);
  return new Date(ms - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * A table that scrolls in its dialog.
 *
 * @param {string} label
 * @param {readonly string[]} heads
 * @param {readonly Node[]} rows
 */
export function scrolledTable(label, heads, rows) {
  const cells = heads.map((text) => {
    const seen = text === '' ? el('span', { className: 'sr', textContent: 'Actions' }) : text;
    return el('th', { scope: 'col' }, seen);
  });
  const body = el('tbody', {}, ...rows);
  const table = el('table', { className: 'plain' }, el('thead', {}, el('tr', {}, ...cells)), body);
  const scroll = el('div', { className: 'table-scroll', tabIndex: 0 }, table);
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', label);
  return { node: scroll, body };
}
