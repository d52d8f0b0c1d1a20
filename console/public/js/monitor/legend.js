import { el } from '../dom.js';
import { looksOf } from './palette.js';
import { latestIndex } from './series.js';
import { figure, timeAt } from './units.js';

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Names and values of a chart's series, at the pointer or at the end; each switches its line off
 * and on.
 */
export class Legend {
  element = el('div', { className: 'legend' });
  #time = el('span', { className: 'quiet time' });
  #values = [];
  #columns = [[]];
  #unit;
  #onToggle;

  constructor(unit, onToggle) {
    this.#unit = unit;
    this.#onToggle = onToggle;
  }

  show(series, names, columns, hidden) {
    this.#columns = columns;
    const focused = [...this.element.children].indexOf(document.activeElement);
    this.#values = names.map(() => el('span', { className: 'figure' }));
    const buttons = names.map((name, index) => {
      const button = el('button', { onclick: () => this.#onToggle(index) });
      button.append(
        swatch(looksOf(series[index], index)),
        el('span', { textContent: name }),
        this.#values[index],
      );
      button.setAttribute('aria-pressed', String(!hidden.has(index)));
      return button;
    });
    this.element.replaceChildren(...buttons, this.#time);
    if (focused >= 0) this.element.children[focused]?.focus({ preventScroll: true });
    this.at(null);
  }

  /** @param index - of a point in time; null for the latest values */
  at(index) {
    const [times, ...all] = this.#columns;
    const shown = index ?? latestIndex(this.#columns);
    this.#values.forEach((value, at) => {
      value.textContent = figure(all[at][shown], this.#unit);
    });
    const time = times[shown];
    this.#time.textContent = time === undefined ? '' : `at ${timeAt(time, 'second')}`;
  }
}

/** The line as it is drawn: its colour, and its dashes. */
function swatch({ colour, dash }) {
  const image = document.createElementNS(SVG, 'svg');
  const line = document.createElementNS(SVG, 'line');
  const attributes = { x1: 0, x2: 26, y1: 5, y2: 5, stroke: colour, 'stroke-width': 3 };
  for (const [name, value] of Object.entries(attributes)) line.setAttribute(name, value);
  if (dash.length > 0) line.setAttribute('stroke-dasharray', dash.join(' '));
  image.setAttribute('viewBox', '0 0 26 10');
  image.setAttribute('class', 'swatch');
  image.setAttribute('aria-hidden', 'true');
  image.append(line);
  return image;
}
