import { el } from '../../js/dom.js';

/** @typedef {keyof typeof STATES} State */

/** States as a sign, a word and a colour, so that none of them has to carry the meaning alone. */
const STATES = {
  ok: { mark: '✓', text: 'ok' },
  warn: { mark: '▲', text: 'warning' },
  crit: { mark: '✖', text: 'critical' },
  unknown: { mark: '?', text: 'unknown' },
  info: { mark: 'ℹ', text: 'info' },
  off: { mark: '–', text: 'off' },
};

/**
 * Severities of alerts, and levels of log lines, as states.
 *
 * @type {Record<string, State>}
 */
const ALIASES = {
  warning: 'warn',
  critical: 'crit',
  up: 'ok',
  down: 'crit',
  starting: 'unknown',
};

/**
 * @param {string} name
 * @returns {name is State}
 */
const isState = (name) => name in STATES;

/** @param {string} name */
export const stateOf = (name) => (isState(name) ? name : (ALIASES[name] ?? 'unknown'));

/**
 * @param {string} name a state, or a severity
 * @param {string} [text] instead of the state's own word
 */
export function stateMark(name, text) {
  const state = stateOf(name);
  const mark = el('span', { ariaHidden: 'true', textContent: STATES[state].mark });
  const word = el('span', { textContent: text ?? STATES[state].text });
  const all = el('span', { className: 'mark' }, mark, ' ', word);
  all.dataset.state = state;
  return all;
}
