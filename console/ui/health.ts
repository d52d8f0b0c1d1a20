import { call } from './api.js';
import { countText, el } from './dom.js';
import type { Overview } from '../surfaces/monitor/answers.js';

/** The sign in the bar: whether the console answers, and whether what it watches is well. */

const SIGNS = { ok: '●', warn: '▲', crit: '✖', unknown: '?', lost: '○' };

/** @param overview null where nothing is watched */
function healthOf(overview: Overview | null): [keyof typeof SIGNS, string] {
  if (overview === null) return ['ok', 'live'];
  const firing = overview.alerts.filter(({ state }) => state === 'firing');
  const critical = firing.filter(({ severity }) => severity === 'critical').length;
  if (critical > 0) return ['crit', countText(critical, 'critical alert')];
  const down = overview.sources.filter(({ state }) => state === 'down');
  if (down.length > 0) return ['unknown', `unknown: ${down.map(({ title }) => title).join(', ')}`];
  const warnings = firing.filter(({ severity }) => severity === 'warning').length;
  if (warnings > 0) return ['warn', countText(warnings, 'warning')];
  return ['ok', 'healthy'];
}

export class Health {
  element;
  #overview: Overview | null = null;
  #connected = true;

  /** @param watched whether there is a Monitor, which the sign leads to then */
  constructor(watched: boolean) {
    const about = { id: 'health', className: 'health' };
    this.element = watched ? el('a', { ...about, href: '/monitor' }) : el('span', about);
    this.element.setAttribute('aria-live', 'polite');
    this.#show();
  }

  /** @param overview the latest */
  tell(overview: Overview) {
    this.#overview = overview;
    this.#show();
  }

  async ask() {
    this.tell(await call('GET', '/api/monitor/overview', undefined, true));
  }

  /** @param connected whether the console answers */
  connection(connected: boolean) {
    this.#connected = connected;
    this.#show();
  }

  #show() {
    const lost: [keyof typeof SIGNS, string] = ['lost', 'connection lost, reconnecting'];
    const [state, text] = this.#connected ? healthOf(this.#overview) : lost;
    if (this.element.dataset.state === state && this.element.title === text) return;
    this.element.dataset.state = state;
    this.element.title = text;
    const sign = el('span', { ariaHidden: 'true', textContent: SIGNS[state] });
    this.element.replaceChildren(sign, el('span', { className: 'words', textContent: text }));
    if (this.element.tagName === 'A') this.element.setAttribute('aria-label', text);
  }
}
