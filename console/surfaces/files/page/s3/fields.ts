import { el, scrollRegion, shownText } from '../../../../ui/dom.js';
import { select } from '../../../../ui/parts.js';

/** The parts of the dialogs of buckets and versions. */

export function quiet(text: string) {
  return el('p', { className: 'quiet', textContent: text });
}

/**
 * A labelled choice.
 *
 * @param options values and texts
 * @param value the chosen one, by default the first
 */
export function choice(
  label: string,
  name: string,
  options: readonly (readonly [string, string])[],
  value = options[0]?.[0] ?? '',
) {
  const made = select(name, options);
  made.value = value;
  return { select: made, node: el('label', {}, label, made) };
}

export function field(label: string, properties: Partial<HTMLInputElement>) {
  const input = el('input', { autocomplete: 'off', ...properties });
  return { input, node: el('label', {}, label, input) };
}

export function box(label: string, properties: Partial<HTMLInputElement>) {
  const input = el('input', { type: 'checkbox', value: '1', ...properties });
  return { input, node: el('label', { className: 'check' }, input, ` ${label}`) };
}

/** Facts, term by term; empty ones are left out. */
export function factList(given: Readonly<Record<string, string>>) {
  const list = el('dl');
  for (const [term, text] of Object.entries(given)) {
    if (text === '') continue;
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
  return { node: scrollRegion(label, table), body };
}

/** A name and its value, in a row that can be taken away. @param what for those who do not see it */
export function entryRow(
  what: string,
  name: Partial<HTMLInputElement>,
  value: Partial<HTMLInputElement>,
) {
  const remove = el('button', { type: 'button', textContent: '×' });
  remove.setAttribute('aria-label', `Remove ${what}`);
  const key = el('input', { required: true, ...name });
  const row = el('div', { className: 'entry' }, key, el('input', value), remove);
  remove.onclick = () => row.remove();
  return row;
}

/** The values of such rows. */
export function entriesIn(rows: HTMLElement) {
  return [...rows.children].map((row) => {
    const [name, value] = row.querySelectorAll('input');
    return { key: name?.value ?? '', value: value?.value ?? '' };
  });
}

/** Appends an empty row, and goes to its first field. */
export function addEntry(rows: HTMLElement, row: HTMLElement) {
  rows.append(row);
  row.querySelector('input')?.focus();
}
