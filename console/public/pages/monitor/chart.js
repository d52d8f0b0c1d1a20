import uPlot from '/vendor/uplot.js';
import { TIME_STEPS_S } from '../../js/charts/shapes.js';
import { gridColour, looksOf, textColour } from './palette.js';
import { stack } from './series.js';
import { figure, timeAt } from './units.js';

/**
 * @typedef {import('./series.js').Columns} Columns
 * @typedef {import('./palette.js').Looks} Looks
 * @typedef {Pick<import('./tiles.js').About, 'unit' | 'kind'>} About
 */

const HEIGHT = 210;
const DAY_S = 86_400;
const SPARSE = 5;
/** A chart of ratios that are all 0 does not reach to 100 %: the first one above 0 would move it. */
const RATIO_HIGH = 0.01;
const FONT = '12px system-ui, sans-serif';
const AREA_ALPHA = '40';

const BYTE_STEPS = Array.from({ length: 60 }, (_, power) => 2 ** power);
/**
 * Steps of axes by their unit, where round numbers are others than those of uPlot.
 *
 * @type {Partial<Record<About['unit'], number[]>>}
 */
const STEPS = {
  bytes: BYTE_STEPS,
  bytes_per_s: BYTE_STEPS,
  s: [
    ...[1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1].flatMap((one) => [one, 2 * one, 5 * one]),
    ...TIME_STEPS_S,
  ],
};

/**
 * @param {uPlot} _plot
 * @param {number[]} splits
 * @param {number} _axis
 * @param {number} _space
 * @param {number} step seconds
 */
function timeLabels(_plot, splits, _axis, _space, step) {
  return splits.map((time) => {
    const midnight = new Date(time * 1000).getHours() === 0 && step >= 3600;
    if (step >= DAY_S || midnight) return timeAt(time, 'day');
    return timeAt(time, step < 60 ? 'second' : 'minute');
  });
}

/**
 * One chart on a canvas. What it shows stands beside it as legend, table and description too.
 */
export class Chart {
  #host;
  #about;
  #onCursor;
  #onSelect;
  /** @type {uPlot | null} */
  #plot = null;
  #key = '';
  #range = { from: 0, to: 1 };
  #resize = new ResizeObserver(() => this.#fit());

  /**
   * @param {HTMLElement} host where it goes
   * @param {About} about
   * @param {{
   *   onCursor: (index: number | null) => void,
   *   onSelect: (from: number, to: number) => void,
   * }} listeners `onCursor` is told which point the pointer is at, here or on another chart;
   *   `onSelect` from when to when was selected, in unix seconds
   */
  constructor(host, about, { onCursor, onSelect }) {
    this.#host = host;
    this.#about = about;
    this.#onCursor = onCursor;
    this.#onSelect = onSelect;
    this.#resize.observe(host);
  }

  /**
   * @param {readonly import('./series.js').Series[]} series
   * @param {Columns} columns
   * @param {{ from: number, to: number }} range unix seconds
   * @param {ReadonlySet<number>} hidden indexes of series that are switched off
   */
  show(series, columns, range, hidden) {
    this.#range = range;
    const data = this.#about.kind === 'stacked' ? stack(columns, hidden) : columns;
    const looks = series.map(looksOf);
    const key = JSON.stringify([looks, [...hidden]]);
    if (this.#plot !== null && key === this.#key) {
      this.#plot.setData(data);
      return;
    }
    this.#key = key;
    this.#plot?.destroy();
    this.#plot = new uPlot(this.#options(looks, hidden), data, this.#host);
  }

  /** Colours are read again: the theme has changed. */
  forgetLooks() {
    this.#key = '';
  }

  destroy() {
    this.#resize.disconnect();
    this.#plot?.destroy();
    this.#plot = null;
  }

  #fit() {
    if (this.#plot === null || this.#host.clientWidth === 0) return;
    this.#plot.setSize({ width: this.#host.clientWidth, height: HEIGHT });
  }

  /**
   * @param {readonly Looks[]} looks
   * @param {ReadonlySet<number>} hidden
   * @returns {uPlot.Options}
   */
  #options(looks, hidden) {
    const { unit, kind } = this.#about;
    const stacked = kind === 'stacked';
    const axis = { stroke: textColour(), font: FONT, grid: { stroke: gridColour(), width: 1 } };
    return {
      width: Math.max(200, this.#host.clientWidth),
      height: HEIGHT,
      legend: { show: false },
      cursor: {
        sync: { key: 'monitor', setSeries: false },
        drag: { x: true, y: false, setScale: false },
        points: { size: 7 },
        y: false,
      },
      scales: {
        x: { time: true, range: () => [this.#range.from, this.#range.to] },
        y: {
          range: (_plot, low, high) => [
            low < 0 ? uPlot.rangeNum(low, 0, 0.1, true)[0] : 0,
            high > 0 ? uPlot.rangeNum(0, high, 0.1, true)[1] : unit === 'ratio' ? RATIO_HIGH : 1,
          ],
        },
      },
      axes: [
        { ...axis, values: timeLabels, space: 70, size: 36 },
        {
          ...axis,
          values: (_plot, splits) => splits.map((value) => figure(value, unit)),
          size: (_plot, labels) =>
            18 + 7.5 * Math.max(2, ...(labels ?? []).map((one) => one.length)),
          ...(STEPS[unit] === undefined ? {} : { incrs: STEPS[unit] }),
        },
      ],
      series: [
        {},
        ...looks.map(({ colour, dash }, index) => ({
          show: !hidden.has(index),
          stroke: colour,
          dash,
          width: 2,
          ...(stacked ? { fill: colour + AREA_ALPHA } : {}),
          spanGaps: false,
          points: { show: isSparse, filter: alone, size: 6 },
        })),
      ],
      bands: stacked ? bandsOf(looks.length, hidden) : [],
      hooks: {
        setCursor: [(plot) => this.#onCursor(plot.cursor.idx ?? null)],
        setSelect: [(plot) => this.#selected(plot)],
      },
    };
  }

  /** @param {uPlot} plot */
  #selected(plot) {
    const { left, width } = plot.select;
    if (width < 5) return;
    const from = Math.floor(plot.posToVal(left, 'x'));
    const to = Math.ceil(plot.posToVal(left + width, 'x'));
    plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    if (to > from) this.#onSelect(from, to);
  }
}

/**
 * A line of a few points alone would hardly be seen.
 *
 * @param {uPlot} plot
 * @param {number} index
 */
function isSparse(plot, index) {
  return valuesOf(plot, index).filter((value) => value !== null).length < SPARSE;
}

/**
 * @param {uPlot} plot
 * @param {number} index
 */
function valuesOf(plot, index) {
  return /** @type {(number | null)[]} */ (plot.data[index]);
}

/**
 * A point between two gaps has no line to show it.
 *
 * @param {uPlot} plot
 * @param {number} index
 * @param {boolean} isShown
 * @returns {number[] | null} indexes; null for all of them
 */
function alone(plot, index, isShown) {
  if (isShown) return null;
  const values = valuesOf(plot, index);
  const isKnown = (/** @type {number} */ at) => (values[at] ?? null) !== null;
  return values.flatMap((_value, at) =>
    isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1) ? [at] : [],
  );
}

/**
 * Areas end at the line below them, of the next series that is shown.
 *
 * @param {number} count
 * @param {ReadonlySet<number>} hidden
 * @returns {uPlot.Band[]}
 */
function bandsOf(count, hidden) {
  const shown = Array.from({ length: count }, (_, index) => index).filter(
    (one) => !hidden.has(one),
  );
  return shown.slice(1).map((index, at) => ({ series: [index + 1, (shown[at] ?? 0) + 1] }));
}
