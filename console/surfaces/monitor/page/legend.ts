import { timeAt } from '../../../ui/clock.js';
import { el } from '../../../ui/dom.js';
import { looksOf, type Looks } from './palette.js';
import { latestIndex, type Columns } from './series.js';
import { svg } from './sparkline.js';
import { figure } from './units.js';
import type { Series } from '../measure.js';
import type { Unit } from '../panels/panel.js';

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
      return el(
        'button',
        { onclick: () => this.#onToggle(index), ariaPressed: String(!hidden.has(index)) },
        swatch(looksOf(one, index)),
        el('span', { textContent: names[index] ?? '' }),
        value,
      );
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
  const image = svg('svg', { viewBox: '0 0 26 10', class: 'swatch', 'aria-hidden': 'true' });
  const line = svg('line', { x1: 0, x2: 26, y1: 5, y2: 5, stroke: colour, 'stroke-width': 3 });
  if (dash.length > 0) line.setAttribute('stroke-dasharray', dash.join(' '));
  image.append(line);
  return image;
}
