import { call } from './api.js';
import { el } from './dom.js';

/** @typedef {import('../../server/answers.js').Overview} Overview */

/** The sign in the bar: whether the console answers, and whether what it watches is well. */

const SIGNS = {
  ok: '●',
  warn: '▲',
  crit: '✖',
  unknown: '?',
  lost: '○',
};

/**
 * @param {number} count
 * @param {string} word
 */
const many = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;

/**
 * @param {Overview | null} overview null where nothing is watched
 * @returns {[keyof typeof SIGNS, string]}
 */
function healthOf(overview) {
  if (overview === null) return ['ok', 'live'];
  const firing = overview.alerts.filter(({ state }) => state === 'firing');
  const critical = firing.filter(({ severity }) => severity === 'critical').length;
  if (critical > 0) return ['crit', many(critical, 'critical alert')];
  const down = overview.sources.filter(({ state }) => state === 'down');
  if (down.length > 0) return ['unknown', `unknown: ${down.map(({ title }) => title).join(', ')}`];
  const warnings = firing.filter(({ severity }) => severity === 'warning').length;
  if (warnings > 0) return ['warn', many(warnings, 'warning')];
  return ['ok', 'healthy'];
}

export class Health {
  element;
  /** @type {Overview | null} */
  #overview = null;
  #connected = true;

  /** @param {boolean} watched whether there is a Monitor, which the sign leads to then */
  constructor(watched) {
    const about = { id: 'health', className: 'health' };
    this.element = watched ? el('a', { ...about, href: '/monitor' }) : el('span', about);
    this.element.setAttribute('aria-live', 'polite');
    this.#show();
  }

  /** @param {Overview} overview the latest */
  tell(overview) {
    this.#overview = overview;
    this.#show();
  }

  async ask() {
    this.tell(await call('GET', '/api/monitor/overview', undefined, true));
  }

  /** @param {boolean} connected whether the console answers */
  connection(connected) {
    this.#connected = connected;
    this.#show();
  }

  #show() {
    /** @type {[keyof typeof SIGNS, string]} */
    const lost = ['lost', 'connection lost, reconnecting'];
    const [state, text] = this.#connected ? healthOf(this.#overview) : lost;
    if (this.element.dataset.state === state && this.element.title === text) return;
    this.element.dataset.state = state;
    this.element.title = text;
    const sign = el('span', { ariaHidden: 'true', textContent: SIGNS[state] });
    this.element.replaceChildren(sign, el('span', { className: 'words', textContent: text }));
    if (this.element.tagName === 'A') this.element.setAttribute('aria-label', text);
  }
}
