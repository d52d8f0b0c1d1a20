import { ApiFailure } from '../../../ui/api.js';
import { durationText, el, messageOf, shownText } from '../../../ui/dom.js';
import { icon } from '../../../ui/icons.js';
import { badge, select, type Column } from '../../../ui/parts.js';
import { timeElement } from '../../../ui/times.js';
import type { Wish } from './control.js';

/** The common parts of what Deploy shows. */

export type Look = 'ok' | 'warn' | 'crit' | 'info' | '';

/** Where a part of the page leads to. */
export interface Ways {
  onPlan: (id: string) => void;
  onRun: (id: string) => void;
  onRamp: (id: string) => void;
  /** A plan is to be made. */
  onPlanWish: (wish: Wish) => void;
  /** The specification of a plan is to be applied step by step. */
  onRampWish: (wish: Wish) => void;
}

export function quiet(...parts: (Node | string)[]) {
  return el('span', { className: 'quiet' }, ...parts);
}

export function quietLine(textContent: string) {
  return el('p', { className: 'quiet', textContent });
}

/** A check box with its text. */
export function check(box: HTMLInputElement, text: string) {
  return el('label', { className: 'check' }, box, text);
}

export function checkbox(name: string) {
  return el('input', { type: 'checkbox', name });
}

/** A card of one line: how something stands, and behind a gap what can be done. */
export function bar(...children: (Node | string)[]) {
  return el('div', { className: 'card deploy-bar' }, ...children);
}

export function gap() {
  return el('span', { className: 'grow' });
}

/** A hash or an entity tag: its beginning, and all of it on hover. */
export function hash(text: string) {
  return el('code', { textContent: shortHash(text), title: text });
}

/** @param text a long hash or entity tag */
export function shortHash(text: string) {
  return text.replace(/^"?sha256-/, '').slice(0, 8);
}

/** A line of a list of reasons. */
export function reason(kind: string, look: Look, text: string, ...more: Node[]) {
  return el('li', {}, badge(kind, look), el('span', { textContent: shownText(text) }), ...more);
}

/** How something has ended, or has to go on, before all else. */
export function outcome(state: string, title: string, ...children: Node[]) {
  const heading = el('h2', { textContent: shownText(title) });
  const made = el(
    'div',
    { className: 'card deploy-outcome', role: 'status' },
    heading,
    ...children,
  );
  made.dataset.state = state;
  return made;
}

/** Text with a name of its own, which the keyboard can scroll. */
export function scrolled(label: string, ...children: (Node | string)[]) {
  return el('pre', { tabIndex: 0, role: 'region', ariaLabel: label }, ...children);
}

/** A choice among the nodes that things are on. */
export function nodeChoice(items: readonly { readonly node: string }[]) {
  const names = [...new Set(items.map(({ node }) => node))];
  return select(
    'node',
    names.map((name) => [name, name] as const),
  );
}

/** The user who began something, and when. */
export function begunBy(actor: string, unixS: number) {
  return quiet(`by ${shownText(actor)}, started `, timeElement(1000 * unixS));
}

export function forgetFailure(panel: HTMLElement) {
  panel.querySelector(':scope > .deploy-failure')?.remove();
}

/** Shows a failure above the content of a panel, in the place of a former one. */
export function tellFailure(panel: HTMLElement, error: unknown, ...ways: WayOn[]) {
  forgetFailure(panel);
  panel.prepend(failureState(error, ...ways));
}

type With<Key extends string, Value> = Readonly<Record<Key, Value>>;

/** A column of Unix seconds. */
export function timeColumn<Row extends With<Key, number>, Key extends string>(
  title: string,
  key: Key,
): Column<Row> {
  return {
    title,
    value: (row) => new Date(1000 * row[key]).toISOString(),
    cell: (row) => timeElement(1000 * row[key]),
  };
}

/** A column of words, each in a badge. */
export function badgeColumn<Row extends With<Key, string>, Key extends string>(
  title: string,
  key: Key,
  badgeOf: (row: Row) => readonly [text: string, look: Look],
): Column<Row> {
  return { title, value: (row) => row[key], cell: (row) => badge(...badgeOf(row)) };
}

/** A column of figures. */
export function figureColumn<Row extends With<Key, number | null>, Key extends string>(
  title: string,
  key: Key,
  shown: (value: Row[Key], row: Row) => string,
): Column<Row> {
  return { title, value: (row) => row[key], cell: (row) => shown(row[key], row), number: true };
}

/** A button of a state; `label`: its whole name, where there are several with the same text. */
export interface WayOn {
  text: string;
  work: () => unknown;
  primary?: boolean;
  danger?: boolean;
  label?: string;
}

/** The meaning of codes to an operator: the icon, the title, and the advice. */
const STATES: Readonly<Record<string, readonly [icon: string, title: string, advice: string]>> = {
  deploy_unreachable: [
    'server',
    'The deploy service is not responding',
    "Check that the service is running and that the console's deploy_upstream points to it.",
  ],
  deploy_timeout: [
    'clock',
    'The deploy service timed out',
    'The service is reachable but did not respond in time. Try again, or check its log.',
  ],
  deploy_auth_failed: [
    'key-round',
    'Deploy service authentication failed',
    "Check deploy_user, and that the deploy_token_file file contains the service's password. The file is read on every request, so no restart is needed.",
  ],
  deploy_unconfigured: [
    'settings',
    'Could not read the deploy service password',
    'The file set in deploy_token_file must exist, contain one line and be readable only by its owner (mode 0600).',
  ],
  deploy_bad_response: [
    'triangle-alert',
    'The deploy service returned an invalid response',
    'Check its log. Another program may be listening on the deploy_upstream address.',
  ],
  plan_stale: [
    'history',
    'The plan is out of date',
    'Another plan was applied after this one was created, or this plan has expired. Create a new plan; its figures may differ.',
  ],
  precondition_failed: [
    'git-compare',
    'The specification was changed by another user',
    'The saved version is not the one you opened. Your changes are still here.',
  ],
  precondition_required: [
    'git-compare',
    'Unknown specification version',
    'Reload the specification.',
  ],
  locked: ['lock', 'Another run is in progress', 'Only one run can be active at a time.'],
  not_running: ['circle-stop', 'The state has changed', 'Refresh to see the current state.'],
  unprocessable: ['circle-alert', 'The request is not valid', ''],
  idempotency_key_reused: [
    'circle-alert',
    'This request was already sent with different content',
    'Start again from the plan.',
  ],
  too_large: ['file', 'The specification is too large', 'The limit is 2 MiB.'],
  not_found: ['search', 'Not found', 'The deploy service has no such item, or it was removed.'],
  rate_limited: ['clock', 'Too many requests', 'Try again later.'],
  busy: ['clock', 'The deploy service is busy', 'Try again later.'],
  no_space: [
    'hard-drive',
    "The deploy service's disk is full",
    'Nothing was changed. Free up disk space and try again.',
  ],
  unsupported_here: [
    'info',
    'Not supported by the deploy service',
    'See the message below for the requirements.',
  ],
  forbidden: ['lock', 'Your role does not allow this', 'Only operators can use Deploy.'],
};

/** A failure as a part of the page: what it is, what to do, and the ways on. */
export function failureState(error: unknown, ...ways: WayOn[]) {
  const failure = error instanceof ApiFailure ? error : undefined;
  const isRamp = failure?.code === 'locked' && typeof failure.details.ramp_id === 'string';
  const [name, title, advice] = isRamp
    ? ['lock', 'Another ramp is in progress', 'Only one ramp can be active at a time.']
    : (STATES[failure?.code ?? ''] ?? ['circle-alert', 'Request failed', '']);
  const message = shownText(messageOf(error));
  const made = el(
    'div',
    { className: 'empty-state deploy-failure', role: 'alert' },
    icon(name),
    el('strong', { textContent: title }),
    el('p', { textContent: advice === '' ? message : advice }),
    ...(advice === '' || message === `${title}.` ? [] : [quietLine(message)]),
    ...holderOf(failure),
    el('div', { className: 'row' }, ...ways.map(wayButton)),
  );
  made.dataset.code = failure?.code ?? '';
  return made;
}

function holderOf(failure: ApiFailure | undefined) {
  const { holder, since_unix_s: since } = failure?.details ?? {};
  if (failure?.code !== 'locked' || typeof holder !== 'string') return [];
  const begun = typeof since === 'number' ? [' since ', timeElement(1000 * since)] : [];
  return [el('p', {}, `Locked by ${shownText(holder)}`, ...begun, '.')];
}

export function wayButton({ text, work, primary = false, danger = false, label }: WayOn) {
  return el('button', {
    type: 'button',
    textContent: text,
    className: danger ? 'danger' : primary ? 'primary' : '',
    onclick: () => void work(),
    ...(label === undefined ? {} : { ariaLabel: label }),
  });
}

/**
 * Nothing here yet: what this is, and the next step.
 *
 * @param name of an icon
 */
export function emptyState(name: string, title: string, text: string, ...ways: WayOn[]) {
  return el(
    'div',
    { className: 'empty-state' },
    icon(name),
    el('strong', { textContent: title }),
    el('p', { textContent: text }),
    el('div', { className: 'row' }, ...ways.map(wayButton)),
  );
}

/** Work that takes long: a bar that moves, and the seconds so far, which are not said aloud. */
export function workingState(text: string) {
  const begun = Date.now();
  const seconds = el('span', { className: 'quiet', ariaHidden: 'true' });
  const bar = el('progress', { className: 'deploy-progress', ariaLabel: text });
  const said = el('p', { textContent: `${text}… ` }, seconds);
  const made = el('div', { role: 'status' }, said, bar);
  const timer = setInterval(() => {
    if (!made.isConnected) clearInterval(timer);
    seconds.textContent = durationText((Date.now() - begun) / 1000);
  }, 1000);
  return made;
}

/** Fills a place with what takes time; a failure is shown in it, with a button to try again. */
export async function show(place: HTMLElement, work: () => Promise<readonly Node[]>) {
  place.setAttribute('aria-busy', 'true');
  if (place.childElementCount === 0) {
    place.replaceChildren(el('div', { className: 'skeleton deploy-skeleton' }));
  }
  try {
    place.replaceChildren(...(await work()));
  } catch (error) {
    const again = { text: 'Try again', work: () => show(place, work), primary: true };
    place.replaceChildren(failureState(error, again));
  } finally {
    place.removeAttribute('aria-busy');
  }
}
