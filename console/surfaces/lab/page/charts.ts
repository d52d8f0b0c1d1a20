import { ChartFigure } from '../../../ui/charts/figure.js';
import type { Chart } from '../../../ui/charts/shapes.js';

/** Charts that are made once, and drawn anew for each look: the keyboard stays where it is. */
export class Charts {
  #figures = new Map<string, ChartFigure>();

  /** @returns the element of the chart with this title, always the same */
  draw(title: string, chart: Chart) {
    const known = this.#figures.get(title);
    known?.show(chart);
    const figure = known ?? new ChartFigure(title, chart);
    this.#figures.set(title, figure);
    return figure.element;
  }
}
