import { el, shownText } from '../../../../ui/dom.js';

/** The parts of the dialogs of buckets and versions. */

export function quiet(text: string) {
  return el('p', { className: 'quiet', textContent: text });
}

/**
 * A labelled choice.
 *
 * @param options values and texts
 */
export function choice(
  label: string,
  name: string,
  options: readonly (readonly [string, string])[],
  value: string,
) {
  const select = el('select', { name });
  for (const [key, textContent] of options)
    select.append(el('option', { value: key, textContent }));
  select.value = value;
  return { select, node: el('label', {}, label, select) };
}

/** A labelled field. */
export function field(label: string, properties: Partial<HTMLInputElement>) {
  const input = el('input', { autocomplete: 'off', ...properties });
  return { input, node: el('label', {}, label, input) };
}

/** A labelled box. */
export function box(label: string, properties: Partial<HTMLInputElement>) {
  const input = el('input', { type: 'checkbox', value: '1', ...properties });
  return { input, node: el('label', { className: 'check' }, input, ` ${label}`) };
}

/** Facts, term by term. */
export function factList(given: Readonly<Record<string, string>>) {
  const list = el('dl');
  for (const [term, text] of Object.entries(given)) {
    list.append(
      el('dt', { textContent: term, className: 'quiet' }),
      el('dd', { textContent: shownText(text) }),
    );
  }
  return list;
}

/** A time for a field of the type `datetime-local`. */
export function localTime(ms: number) {
  const time = new Date(ms);
  return new Date(ms - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** A table that scrolls in its dialog. */
export function scrolledTable(label: string, heads: readonly string[], rows: readonly Node[]) {
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
