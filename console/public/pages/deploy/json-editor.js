import { el } from '../../js/dom.js';
import { lineOf, nearest, placesOf } from './json-places.js';

/** @typedef {import('./control.js').Problem} Problem */

/** Behind this many lines the gutter would cost more than it tells. */
const LINES_MAX = 5000;

/** A text of JSON with the numbers of its lines, on which those with a problem are marked. */
export class JsonEditor {
  #gutter = el('pre', { className: 'deploy-gutter' });
  #area = el('textarea', { spellcheck: false, autocomplete: 'off', wrap: 'off' });
  #fault = el('p', { className: 'error deploy-fault', role: 'alert' });
  element;
  /** @type {readonly Problem[]} */
  #problems = [];

  /**
   * @param {(value: unknown) => void} onValue called when the text was edited and is JSON
   * @param {() => void} onFault called when the text was edited and is none
   */
  constructor(onValue, onFault) {
    this.#area.setAttribute('aria-label', 'Specification as JSON');
    this.#gutter.setAttribute('aria-hidden', 'true');
    this.#fault.id = 'deploy-fault';
    this.#area.setAttribute('aria-describedby', this.#fault.id);
    this.#area.addEventListener('scroll', () => {
      this.#gutter.scrollTop = this.#area.scrollTop;
    });
    this.#area.addEventListener('input', () => {
      const value = this.#parsed();
      this.#number();
      if (value === undefined) onFault();
      else onValue(value);
    });
    this.element = el(
      'div',
      { className: 'deploy-json' },
      el('div', { className: 'deploy-editor' }, this.#gutter, this.#area),
      this.#fault,
    );
  }

  /** @param {unknown} value */
  show(value) {
    const { scrollTop } = this.#area;
    this.#area.value = JSON.stringify(value, null, 2);
    this.#area.scrollTop = scrollTop;
    this.#fault.textContent = '';
    this.#area.removeAttribute('aria-invalid');
    this.#number();
  }

  /** @param {readonly Problem[]} problems */
  mark(problems) {
    this.#problems = problems;
    this.#number();
  }

  /**
   * Selects the place of a problem.
   *
   * @param {string} pointer
   */
  reveal(pointer) {
    const place = nearest(this.#places(), pointer);
    if (place === undefined) return;
    this.#area.setSelectionRange(place.start, place.end);
    const line = lineOf(this.#area.value, place.start);
    const height = Number.parseFloat(getComputedStyle(this.#area).lineHeight) || 20;
    this.#area.scrollTop = Math.max(0, (line - 4) * height);
  }

  /** @returns {unknown} undefined where the text is no JSON, which is said below it */
  #parsed() {
    try {
      const value = JSON.parse(this.#area.value);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw new SyntaxError('A specification is an object: it begins with {.');
      }
      this.#fault.textContent = '';
      this.#area.removeAttribute('aria-invalid');
      return value;
    } catch (error) {
      this.#fault.textContent = `This is not JSON yet. ${/** @type {Error} */ (error).message}`;
      this.#area.setAttribute('aria-invalid', 'true');
      return undefined;
    }
  }

  #places() {
    try {
      JSON.parse(this.#area.value);
      return placesOf(this.#area.value);
    } catch {
      return new Map();
    }
  }

  #number() {
    const lines = lineOf(this.#area.value, Infinity);
    if (lines > LINES_MAX) {
      this.#gutter.replaceChildren();
      return;
    }
    const places = this.#problems.length === 0 ? new Map() : this.#places();
    const marked = new Set(
      this.#problems.flatMap(({ path }) => {
        const place = nearest(places, path);
        return place === undefined ? [] : [lineOf(this.#area.value, place.start)];
      }),
    );
    /** @type {(Node | string)[]} */
    const parts = [];
    for (let line = 1; line <= lines; line++) {
      const text = `${line}\n`;
      parts.push(marked.has(line) ? el('mark', { textContent: `● ${text}` }) : text);
    }
    this.#gutter.replaceChildren(...parts);
    this.#gutter.scrollTop = this.#area.scrollTop;
  }
}
