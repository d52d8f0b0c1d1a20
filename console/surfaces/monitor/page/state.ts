import { localTimes, timeAt } from '../../../ui/clock.js';
import { el, messageOf } from '../../../ui/dom.js';

type State = keyof typeof STATES;

/** States as a sign, a word and a colour, so that none of them has to carry the meaning alone. */
const STATES = {
  ok: { mark: '✓', text: 'ok' },
  warn: { mark: '▲', text: 'warning' },
  crit: { mark: '✖', text: 'critical' },
  unknown: { mark: '?', text: 'unknown' },
  info: { mark: 'ℹ', text: 'info' },
  off: { mark: '–', text: 'off' },
};

/** Severities of alerts, and levels of log lines, as states. */
const ALIASES: Record<string, State> = {
  warning: 'warn',
  critical: 'crit',
  up: 'ok',
  down: 'crit',
  starting: 'unknown',
};

const isState = (name: string): name is State => name in STATES;

export const stateOf = (name: string) => (isState(name) ? name : (ALIASES[name] ?? 'unknown'));

/** A line in the place of what there is nothing of. */
export function emptyLine(...children: (Node | string)[]) {
  return el('p', { className: 'empty' }, ...children);
}

export function unavailable(error: unknown) {
  return emptyLine(`Unavailable: ${messageOf(error)}`);
}

/** Says of a table of what is so now why it is not known, and of when its rows are. */
export function notOfNow({ state, reason = 'unknown', at_unix_s: at, items }: NowView): Node[] {
  if (state === 'ok') return [];
  const text = localTimes(reason);
  const why = emptyLine(state === 'off' ? `Not collected: ${text}.` : stateMark('unknown', text));
  if (items.length === 0) return [why];
  const textContent = `As of ${timeAt(at ?? 0, 'full')}:`;
  return [why, el('p', { className: 'quiet', textContent })];
}

interface NowView {
  readonly state: string;
  readonly reason?: string;
  readonly at_unix_s: number | null;
  readonly items: readonly unknown[];
}

/** Names things with the reason why they are not shown, those of one reason together. */
export function byReason(
  things: readonly { readonly title: string; readonly reason: string | null }[],
) {
  const reasons = new Map<string, string[]>();
  for (const { title, reason } of things) {
    if (reason !== null) reasons.set(reason, [...(reasons.get(reason) ?? []), title]);
  }
  return [...reasons].map(([reason, titles]) => `${titles.join(', ')} (${reason})`).join('; ');
}

/** Draws a place anew; the element that had the focus has it afterwards, by its id. */
export function keepingFocus(host: HTMLElement, draw: () => void) {
  const active = document.activeElement;
  const focused = host.contains(active) ? (active?.id ?? '') : '';
  draw();
  if (focused !== '') document.getElementById(focused)?.focus({ preventScroll: true });
}

/**
 * @param name a state, or a severity
 * @param text instead of the state's own word
 */
export function stateMark(name: string, text?: string) {
  const state = stateOf(name);
  const mark = el('span', { ariaHidden: 'true', textContent: STATES[state].mark });
  const word = el('span', { textContent: text ?? STATES[state].text });
  const all = el('span', { className: 'mark' }, mark, ' ', word);
  all.dataset.state = state;
  return all;
}
