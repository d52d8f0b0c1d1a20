/** Colours of series, from the style sheet, so that they follow the theme. */

/** @typedef {{ colour: string, dash: number[] }} Looks of a series */

const COUNT = 8;
/**
 * Lines differ in their dashes too: for the second round of colours, and for readers who see no
 * colours.
 */
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [16, 4], [4, 2, 1, 2], [6, 6], [1, 4]];

/** @param {string} name */
const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function textColour() {
  return variable('--quiet');
}

export function gridColour() {
  return variable('--line');
}

/**
 * Classes of HTTP status have the colours that everybody expects.
 *
 * @param {Pick<import('./series.js').Series, 'labels'>} series
 * @param {number} index
 * @returns {Looks}
 */
export function looksOf({ labels }, index) {
  const status = /^(?<kind>[1-5])\d\d$/.exec(labels.code ?? '')?.groups?.kind;
  const name = status === undefined ? `--series-${index % COUNT}` : `--status-${status}`;
  return {
    colour: variable(name),
    dash: DASHES[index % DASHES.length] ?? [],
  };
}
