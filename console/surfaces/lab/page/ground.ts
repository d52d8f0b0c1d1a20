import { call } from '../../../ui/api.js';
import { $, durationText, el, shownText } from '../../../ui/dom.js';
import {
  badge,
  card,
  figures,
  input,
  numberText,
  pageHead as plainHead,
  table,
} from '../../../ui/parts.js';
import type { DataSource } from '../ground/data-source.js';
import type { Column } from '../../../ui/parts.js';

/** The common parts of all pages of the Lab. */

export * from '../../../ui/parts.js';

/** The colour of a badge. */
export type Tone = NonNullable<Parameters<typeof badge>[1]>;

const STATES: Record<DataSource['state'], Tone> = {
  live: 'ok',
  embedded: 'info',
  stale: 'warn',
  unavailable: 'crit',
};
const REFRESH_MS = 30_000;

/** The head of a page of the Lab, which also says where the figures of the page are from. */
export function pageHead() {
  const place = el('div', { className: 'lab-source' });
  const name = location.pathname.split('/').at(-1);
  const refresh = async () => {
    try {
      const source = await call('GET', `/lab/api/sources/${name}`, undefined, true);
      place.replaceChildren(...sourceBadge(source));
    } catch {
      // The page says by itself that the console does not answer.
      place.replaceChildren();
    }
  };
  void refresh();
  setInterval(() => void refresh(), REFRESH_MS);
  return plainHead(place);
}

/** Begins a page of the Lab: its head, and its parts below. */
export function openPage(...parts: Node[]) {
  const main = $('#main');
  main.classList.add('lab-page');
  main.append(pageHead(), ...parts);
}

/**
 * The notice of a page whose subject the configuration lacks: the page asks for nothing else then.
 *
 * @returns null where nothing is missing
 */
export async function missingHere(): Promise<HTMLElement | null> {
  const name = location.pathname.split('/').at(-1);
  const { reason, needs } = await call('GET', `/lab/api/sources/${name}`, undefined, true);
  if (needs === null) return null;
  const made = el(
    'div',
    { className: 'empty-state' },
    el('p', { textContent: `${reason ?? ''} Set ${needs} in the console's configuration.` }),
    el('p', {
      className: 'quiet',
      textContent: 'To try this page without a cluster, create sample data: npm run lab:sample',
    }),
  );
  made.setAttribute('role', 'status');
  return made;
}

/** Where the figures of a page are from, and why. */
export function sourceBadge({ state, reason, needs, age_s: ageS }: DataSource) {
  const made = badge(ageS === null ? state : `${state} ${durationText(ageS)}`, STATES[state]);
  made.title = 'Data source of this page';
  const why = needs === null ? reason : `${reason} Requires ${needs}.`;
  return why === null ? [made] : [made, el('span', { className: 'quiet', textContent: why })];
}

/** A remark below a form, or about the figures of a card. */
export function note(...children: (Node | string)[]) {
  return el('p', { className: 'lab-note' }, ...children);
}

export function quiet(textContent: string) {
  return el('p', { className: 'quiet', textContent });
}

/** Parts of a line. */
export function row(...children: (Node | string)[]) {
  return el('div', { className: 'row' }, ...children);
}

/** The fields of a form, side by side. */
export function fields(...children: Node[]) {
  return el('div', { className: 'lab-form' }, ...children);
}

/** Parts of a page, one below the other. */
export function stack(...children: Node[]) {
  return el('div', { className: 'lab-page' }, ...children);
}

export function numberInput(
  name: string,
  value: number,
  limits: Partial<Pick<HTMLInputElement, 'min' | 'max' | 'step' | 'required'>>,
) {
  return input(name, { type: 'number', value: String(value), ...limits });
}

/** A button that looks like a link, for cells of tables. */
export function plainButton(text: string, onclick: () => void) {
  return el('button', { className: 'plain', textContent: shownText(text), onclick });
}

/** As `table`, with rows that come first: the compiler has to know them for columns that are made. */
export function tableOf<Row>(name: string, rows: readonly Row[], columns: readonly Column<Row>[]) {
  return table(name, columns, rows);
}

/** @param name what the table is called, where that is not the title of its card */
export function tableCard<Row>(
  title: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  name = title,
) {
  return card(title, tableOf(name, rows, columns));
}

/**
 * A column of figures.
 *
 * @param text what the page shows of a figure; files have the figure itself
 * @param none what it shows of one that is not known
 */
export function numbers<Row>(
  title: string,
  value: (row: Row) => number | null,
  text: (figure: number) => string,
  none = '–',
): Column<Row> {
  const cell = (one: Row) => {
    const figure = value(one);
    return figure === null ? none : text(figure);
  };
  return { title, value, cell, number: true };
}

/** The colour of a badge, and its text where that is not the state itself. */
export type Look = Tone | readonly [tone: Tone, text: string];

/** A column of badges. @param looks by the states, which files have */
export function badges<Row, State extends string>(
  title: string,
  value: (row: Row) => State,
  looks: Readonly<Record<State, Look>>,
): Column<Row> {
  const cell = (one: Row) => {
    const state = value(one);
    const look: Look = looks[state];
    return typeof look === 'string' ? badge(state, look) : badge(look[1], look[0]);
  };
  return { title, value, cell };
}

/** @param pct in per cent */
export function pctText(pct: number) {
  return `${numberText(pct)}%`;
}

/** Figures that are seen first: what each is called, what it is, and a hint. */
export function facts(
  ...all: readonly (readonly [label: string, value: string, hint?: string | undefined])[]
) {
  return figures(
    all.map(([label, value, hint]) => ({ label, value, ...(hint === undefined ? {} : { hint }) })),
  );
}

/** Names of the processes that take faults back. */
export const TAKERS: Readonly<Record<'console' | 'dead_man' | 'supervisor', string>> = {
  console: 'console',
  dead_man: 'dead-man',
  supervisor: 'supervisor',
};
