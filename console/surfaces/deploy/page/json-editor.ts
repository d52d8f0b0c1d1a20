import { el } from '../../../ui/dom.js';
import { lineOf, nearest, placesOf, type Place } from './json-places.js';
import type { SpecProblem as Problem } from '../../../../src/deploy/spec/parse.js';

/** Behind this many lines the gutter would cost more than it tells. */
const LINES_MAX = 5000;

/** So many lines a browser may insert by itself, so that they can be undone. */
const LINES_PUT_IN = 200;
/**
 * Behind the last edit: Chromium sends an event for each line of a text that is pasted, and drawing
 * all anew takes milliseconds.
 */
const READ_AFTER_MS = 150;

/** A text of JSON with the numbers of its lines, on which those with a problem are marked. */
export class JsonEditor {
  #gutter = el('pre', { className: 'deploy-gutter', ariaHidden: 'true' });
  #area = el('textarea', { spellcheck: false, autocomplete: 'off', wrap: 'off' });
  #fault = el('p', { id: 'deploy-fault', className: 'error deploy-fault', role: 'alert' });
  element;
  #problems: readonly Problem[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Lines that the gutter has, and which of them are marked. */
  #numbered = '';
  #given;

  /**
   * @param given `onTyping` is called at each edit, and has to be quick; the others a moment after
   *   the last one: the text is JSON, or it is none
   */
  constructor(given: {
    onTyping: () => void;
    onValue: (value: unknown) => void;
    onFault: () => void;
  }) {
    this.#given = given;
    this.#area.ariaLabel = 'Specification as JSON';
    this.#area.setAttribute('aria-describedby', this.#fault.id);
    this.#area.addEventListener('scroll', () => {
      this.#gutter.scrollTop = this.#area.scrollTop;
    });
    this.#area.addEventListener('beforeinput', (event) => this.#putIn(event, event.data));
    this.#area.addEventListener('paste', (event) => {
      this.#putIn(event, event.clipboardData?.getData('text/plain') ?? null);
    });
    this.#area.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.settle(), READ_AFTER_MS);
      given.onTyping();
    });
    this.element = el(
      'div',
      { className: 'deploy-json' },
      el('div', { className: 'deploy-editor' }, this.#gutter, this.#area),
      this.#fault,
    );
  }

  /** Reads what was edited a moment ago, without waiting for more. */
  settle() {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const value = this.#parsed();
    this.#number();
    if (value === undefined) this.#given.onFault();
    else this.#given.onValue(value);
  }

  /**
   * Puts many lines in at once: Chromium would insert one after the other, and lay all of them out
   * for each, which takes it ten seconds for two thousand.
   */
  #putIn(event: Event, text: string | null) {
    if (text === null || lineOf(text, Infinity) <= LINES_PUT_IN) return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = this.#area;
    this.#area.setRangeText(text, selectionStart, selectionEnd, 'end');
    this.#area.dispatchEvent(new Event('input', { bubbles: true }));
  }

  focus() {
    this.#area.focus();
  }

  show(value: unknown) {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { scrollTop } = this.#area;
    const text = JSON.stringify(value, null, 2);
    // The place of the cursor is lost by a text that is put in, even by the same one.
    if (text !== this.#area.value) this.#area.value = text;
    this.#area.scrollTop = scrollTop;
    this.#say('');
    this.#number();
  }

  mark(problems: readonly Problem[]) {
    this.#problems = problems;
    this.#number();
  }

  /** Selects the place of a problem. */
  reveal(pointer: string) {
    const place = nearest(this.#places(), pointer);
    if (place === undefined) return;
    this.#area.setSelectionRange(place.start, place.end);
    const line = lineOf(this.#area.value, place.start);
    const height = Number.parseFloat(getComputedStyle(this.#area).lineHeight) || 20;
    this.#area.scrollTop = Math.max(0, (line - 4) * height);
  }

  /** @returns undefined where the text is no JSON, which is said below it */
  #parsed(): unknown {
    try {
      const value: unknown = JSON.parse(this.#area.value);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw new SyntaxError('The specification must be a JSON object.');
      }
      this.#say('');
      return value;
    } catch (error) {
      this.#say(`Invalid JSON. ${(error as Error).message}`);
      return undefined;
    }
  }

  /** @param fault why the text is no JSON; empty where it is */
  #say(fault: string) {
    this.#fault.textContent = fault;
    this.#area.ariaInvalid = fault === '' ? null : 'true';
  }

  #places(): Map<string, Place> {
    try {
      JSON.parse(this.#area.value);
      return placesOf(this.#area.value);
    } catch {
      return new Map();
    }
  }

  #number() {
    const text = this.#area.value;
    const lines = lineOf(text, Infinity);
    const shown = lines > LINES_MAX ? 0 : lines;
    const places =
      this.#problems.length === 0 || shown === 0 ? new Map<string, Place>() : this.#places();
    const found = this.#problems.flatMap(({ path }) => nearest(places, path)?.start ?? []);
    const marked = [...new Set(found.map((start) => lineOf(text, start)))].sort((a, b) => a - b);
    const numbered = `${shown} ${marked.join(' ')}`;
    if (numbered === this.#numbered) return;
    this.#numbered = numbered;
    const parts: (Node | string)[] = [];
    let next = 1;
    for (const line of marked) {
      parts.push(numbers(next, line - 1), el('mark', { textContent: `● ${line}\n` }));
      next = line + 1;
    }
    this.#gutter.replaceChildren(...parts, numbers(next, shown));
    this.#gutter.scrollTop = this.#area.scrollTop;
  }
}

function numbers(first: number, last: number) {
  const count = Math.max(0, last - first + 1);
  return Array.from({ length: count }, (_, at) => `${first + at}\n`).join('');
}
