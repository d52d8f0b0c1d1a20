import { download, saveCsv, saveJson } from './charts/export.js';
import { thisPage } from './api.js';
import { el, messageOf, scrollRegion, shownText } from './dom.js';

/**
 * The common parts of pages with figures: parts of a page, tables that can be taken along, state in
 * the URL. Their classes are those of `css/lab.css`.
 */

export { download };

/** One column of a table; `value` is what files and the order of rows have. */
export interface Column<Row> {
  title: string;
  value: (row: Row) => string | number | null;
  cell?: (row: Row) => Node | string;
  number?: boolean;
}

/** The head of the page that is open: its title, and what it is for. */
export function pageHead(...actions: Node[]) {
  const { title, purpose } = thisPage();
  const text = el(
    'div',
    {},
    el('h1', { textContent: title }),
    el('p', { className: 'quiet', textContent: purpose }),
  );
  return el('header', { className: 'lab-head' }, text, el('div', { className: 'row' }, ...actions));
}

export function card(title: string, ...children: (Node | string)[]) {
  return el('section', { className: 'card' }, el('h2', { textContent: title }), ...children);
}

export function badge(text: string, state: 'ok' | 'warn' | 'crit' | 'info' | '' = '') {
  const made = el('span', { className: 'badge', textContent: text });
  if (state !== '') made.dataset.state = state;
  return made;
}

/** Numbers that are to be seen first. */
export function figures(
  all: readonly { readonly label: string; readonly value: string; readonly hint?: string }[],
) {
  return el(
    'dl',
    { className: 'lab-figures' },
    ...all.map(({ label, value, hint }) =>
      el(
        'div',
        {},
        el('dt', { textContent: label }),
        el('dd', { textContent: value }),
        ...(hint === undefined ? [] : [el('dd', { className: 'quiet', textContent: hint })]),
      ),
    ),
  );
}

export function field(text: string, control: HTMLElement, hint?: string) {
  const label = el('label', { className: 'field' }, text, control);
  if (hint !== undefined) label.append(el('span', { className: 'hint', textContent: hint }));
  return label;
}

export function input(name: string, properties?: Partial<HTMLInputElement>) {
  return el('input', { name, autocomplete: 'off', spellcheck: false, ...properties });
}

export function select(name: string, choices: readonly (readonly [value: string, text: string])[]) {
  return el(
    'select',
    { name },
    ...choices.map(([value, textContent]) => el('option', { value, textContent })),
  );
}

/**
 * A table with buttons for files: CSV and JSON have the rows that are shown and all others.
 *
 * @param name of the file, and what the table is called
 */
export function table<Row>(
  name: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  shownMax = 500,
) {
  const head = el(
    'tr',
    {},
    ...columns.map(({ title, number }) =>
      el('th', { scope: 'col', textContent: title, className: number ? 'number' : '' }),
    ),
  );
  const body = rows.slice(0, shownMax).map((row) =>
    el(
      'tr',
      {},
      ...columns.map(({ value, cell, number }) => {
        const shown = cell === undefined ? textOf(value(row)) : cell(row);
        return el('td', { className: number ? 'number' : '' }, shown);
      }),
    ),
  );
  const made = el('table', {}, el('thead', {}, head), el('tbody', {}, ...body));
  made.setAttribute('aria-label', name);
  const titles = columns.map(({ title }) => title);
  const figuresOf = () => rows.map((row) => columns.map(({ value }) => value(row)));
  const file = (textContent: string, save: typeof saveCsv) => {
    const onclick = () => save(name, { head: titles, rows: figuresOf() });
    return el('button', { className: 'plain', textContent, onclick });
  };
  const more = rows.length - body.length;
  const note = more > 0 ? `Download the file to see ${more} more rows. ` : '';
  return el(
    'div',
    { className: 'lab-table' },
    scrollRegion(name, made),
    el(
      'p',
      { className: 'quiet' },
      note,
      file('Download CSV', saveCsv),
      file('Download JSON', saveJson),
    ),
  );
}

function textOf(value: string | number | null) {
  return value === null ? '–' : shownText(value);
}

/** The state of the view in the URL: so that a view can be sent to a colleague. */
export function viewState() {
  return Object.fromEntries(new URLSearchParams(location.search));
}

/** @param state of which empty values are left out */
export function setViewState(state: Readonly<Record<string, string>>) {
  const given = Object.entries(state).filter(([, value]) => value !== '');
  const search = new URLSearchParams(given).toString();
  history.replaceState(history.state, '', search === '' ? location.pathname : `?${search}`);
}

/**
 * Keeps what the fields of a form say in the URL, by their names, and fills them from it. What is as
 * the form begins is left out of it, and so is a field without a name.
 *
 * @returns whether the URL said something of it
 */
export function keepInUrl(form: HTMLFormElement) {
  const controls = [...form.elements].filter(isNamed);
  const first = new Map(controls.map((control) => [control.name, valueOf(control)]));
  const state = viewState();
  for (const control of controls) {
    const given = state[control.name];
    if (given === undefined) continue;
    if (control.type === 'checkbox') setChecked(control, given === '1');
    else control.value = given;
    // Another value than it can have: a number that is none, a choice that is not there.
    if (control.value === '') control.value = first.get(control.name) ?? '';
    control.dispatchEvent(new Event('change'));
  }
  form.addEventListener('change', () => {
    const own = controls.map((control) => {
      const value = valueOf(control);
      return [control.name, value === first.get(control.name) ? '' : value] as const;
    });
    setViewState({ ...viewState(), ...Object.fromEntries(own) });
  });
  return controls.some(({ name }) => state[name] !== undefined);
}

type Control = HTMLInputElement | HTMLSelectElement;

function isNamed(element: Element): element is Control {
  if (!['INPUT', 'SELECT'].includes(element.tagName)) return false;
  const { name, type } = element as Control;
  return name !== '' && type !== 'file';
}

function valueOf(control: Control) {
  if (control.type !== 'checkbox') return control.value;
  return control.checked ? '1' : '0';
}

function setChecked(control: Control, isChecked: boolean) {
  const box = control as HTMLInputElement;
  if (!box.disabled) box.checked = isChecked;
}

/**
 * Fills a place with what takes time, and says so; a failure stays where it belongs. Forms with the
 * attribute `data-send-at-once` are sent when they are there.
 */
export async function fill(place: HTMLElement, work: () => Promise<readonly Node[]>) {
  place.setAttribute('aria-busy', 'true');
  if (place.childElementCount === 0) place.replaceChildren(el('div', { className: 'skeleton' }));
  try {
    place.replaceChildren(...(await work()));
    // A form that is not on the page yet cannot be sent.
    const forms = place.querySelectorAll<HTMLFormElement>('form[data-send-at-once]');
    for (const form of forms) form.requestSubmit();
  } catch (error) {
    place.replaceChildren(problem(error));
  } finally {
    place.removeAttribute('aria-busy');
  }
}

export function problem(error: unknown) {
  const text = shownText(messageOf(error));
  const made = el('div', { className: 'empty-state' }, el('p', { textContent: text }));
  made.setAttribute('role', 'alert');
  return made;
}

/** Parts of a page of which one is shown: the names are in the URL. */
export function tabList(
  label: string,
  tabs: readonly { readonly id: string; readonly title: string }[],
  chosen: string,
  onChoose: (id: string) => void,
) {
  const list = el('div', { className: 'tabs' });
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', label);
  const buttons = tabs.map(({ id, title }) => {
    const button = el('button', { id: `tab-${id}`, textContent: title });
    button.setAttribute('role', 'tab');
    button.addEventListener('click', () => choose(id, false));
    return button;
  });
  const choose = (id: string, focus: boolean) => {
    selectTab(list, id);
    if (focus) buttons[tabs.findIndex((tab) => tab.id === id)]?.focus();
    onChoose(id);
  };
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = buttons.findIndex((button) => button.getAttribute('aria-selected') === 'true');
    choose(tabs[(at + step + tabs.length) % tabs.length]?.id ?? '', true);
  });
  list.append(...buttons);
  selectTab(list, chosen);
  return list;
}

/**
 * Marks another tab as the chosen one, also where the address has chosen it.
 *
 * @param list made by {@link tabList}, or what it is in
 */
export function selectTab(list: Element, id: string) {
  for (const button of list.querySelectorAll<HTMLElement>('[role=tab]')) {
    const isChosen = button.id === `tab-${id}`;
    const wasChosen = button.getAttribute('aria-selected') === 'true';
    button.setAttribute('aria-selected', String(isChosen));
    button.tabIndex = isChosen ? 0 : -1;
    // On a phone there are more tabs than fit.
    if (isChosen && !wasChosen) button.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}

export function numberText(value: number, digits = 2) {
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

/** @param value a share of 1 */
export function percentText(value: number, digits = 1) {
  return `${numberText(100 * value, digits)}%`;
}
