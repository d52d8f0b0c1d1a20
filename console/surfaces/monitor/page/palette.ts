import type { Series } from '../measure.js';

/** Colours of series, from the style sheet, so that they follow the theme. */

/** How a series is drawn. */
export interface Looks {
  colour: string;
  dash: number[];
}

const COUNT = 8;
/**
 * Lines differ in their dashes too: for the second round of colours, and for readers who see no
 * colours.
 */
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [16, 4], [4, 2, 1, 2], [6, 6], [1, 4]];

const variable = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function textColour() {
  return variable('--quiet');
}

export function gridColour() {
  return variable('--line');
}

/** Classes of HTTP status have the colours that everybody expects. */
export function looksOf({ labels }: Pick<Series, 'labels'>, index: number): Looks {
  const status = /^(?<kind>[1-5])\d\d$/.exec(labels.code ?? '')?.groups?.kind;
  const name = status === undefined ? `--series-${index % COUNT}` : `--status-${status}`;
  return {
    colour: variable(name),
    dash: DASHES[index % DASHES.length] ?? [],
  };
}
