import { timeAt } from '../../../ui/clock.js';
import { el } from '../../../ui/dom.js';
import { looksOf } from './palette.js';
import { latestIndex } from './series.js';
import { figure } from './units.js';
import type { Series } from '../measure.js';
import type { Unit } from '../panels/panel.js';
import type { Looks } from './palette.js';
import type { Columns } from './series.js';

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Names and values of a chart's series, at the pointer or at the end; each switches its line off
 * and on.
 */
export class Legend {
  element = el('div', { className: 'legend' });
  #time = el('span', { className: 'quiet time' });
  #values: HTMLSpanElement[] = [];
  #columns: Columns = [[]];
  #unit;
  #onToggle;

  constructor(unit: Unit, onToggle: (index: number) => void) {
    this.#unit = unit;
    this.#onToggle = onToggle;
  }

  show(
    series: readonly Series[],
    names: readonly string[],
    columns: Columns,
    hidden: ReadonlySet<number>,
  ) {
    this.#columns = columns;
    const focused = [...this.element.children].findIndex((one) => one === document.activeElement);
    this.#values = [];
    const buttons = series.map((one, index) => {
      const value = el('span', { className: 'figure' });
      this.#values.push(value);
      const button = el('button', { onclick: () => this.#onToggle(index) });
      button.append(
        swatch(looksOf(one, index)),
        el('span', { textContent: names[index] ?? '' }),
        value,
      );
      button.setAttribute('aria-pressed', String(!hidden.has(index)));
      return button;
    });
    this.element.replaceChildren(...buttons, this.#time);
    buttons[focused]?.focus({ preventScroll: true });
    this.at(null);
  }

  /** @param index of a point in time; null for the latest values */
  at(index: number | null) {
    const [times, ...all] = this.#columns;
    const shown = index ?? latestIndex(this.#columns);
    this.#values.forEach((value, at) => {
      value.textContent = figure(all[at]?.[shown], this.#unit);
    });
    const time = times[shown];
    this.#time.textContent = time === undefined ? '' : `at ${timeAt(time, 'second')}`;
  }
}

/** The line as it is drawn: its colour, and its dashes. */
function swatch({ colour, dash }: Looks) {
  const image = document.createElementNS(SVG, 'svg');
  const line = document.createElementNS(SVG, 'line');
  const attributes: Record<string, string | number> = {
    x1: 0,
    x2: 26,
    y1: 5,
    y2: 5,
    stroke: colour,
    'stroke-width': 3,
  };
  for (const [name, value] of Object.entries(attributes)) line.setAttribute(name, String(value));
  if (dash.length > 0) line.setAttribute('stroke-dasharray', dash.join(' '));
  image.setAttribute('viewBox', '0 0 26 10');
  image.setAttribute('class', 'swatch');
  image.setAttribute('aria-hidden', 'true');
  image.append(line);
  return image;
}
