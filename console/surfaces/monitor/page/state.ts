import { el } from '../../../ui/dom.js';

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
