import { timeAt } from '../../../ui/clock.js';
import uPlot from '../../../vendor/uplot.js';
import { TIME_STEPS_S } from '../../../ui/charts/shapes.js';
import { gridColour, looksOf, textColour, type Looks } from './palette.js';
import { stack, type Columns } from './series.js';
import { figure } from './units.js';
import type { Series } from '../measure.js';
import type { About as TileAbout } from './tiles.js';

type About = Pick<TileAbout, 'unit' | 'kind'>;

const HEIGHT = 210;
const DAY_S = 86_400;
const SPARSE = 5;
/** A chart of ratios that are all 0 does not reach to 100 %: the first one above 0 would move it. */
const RATIO_HIGH = 0.01;
const FONT = '12px system-ui, sans-serif';
const AREA_ALPHA = '40';

const BYTE_STEPS = Array.from({ length: 60 }, (_, power) => 2 ** power);
/** Steps of axes by their unit, where round numbers are others than those of uPlot. */
const STEPS: Partial<Record<About['unit'], number[]>> = {
  bytes: BYTE_STEPS,
  bytes_per_s: BYTE_STEPS,
  s: [
    ...[1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1].flatMap((one) => [one, 2 * one, 5 * one]),
    ...TIME_STEPS_S,
  ],
};

/** @param step seconds */
function timeLabels(_plot: uPlot, splits: number[], _axis: number, _space: number, step: number) {
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
  #listeners;
  #plot: uPlot | null = null;
  #key = '';
  #range = { from: 0, to: 1 };
  #resize = new ResizeObserver(() => this.#fit());

  /**
   * @param host where it goes
   * @param listeners `onCursor` is told which point the pointer is at, here or on another chart;
   *   `onSelect` from when to when was selected, in unix seconds
   */
  constructor(
    host: HTMLElement,
    about: About,
    listeners: {
      onCursor: (index: number | null) => void;
      onSelect: (from: number, to: number) => void;
    },
  ) {
    this.#host = host;
    this.#about = about;
    this.#listeners = listeners;
    this.#resize.observe(host);
  }

  /**
   * @param range unix seconds
   * @param hidden indexes of series that are switched off
   */
  show(
    series: readonly Series[],
    columns: Columns,
    range: { from: number; to: number },
    hidden: ReadonlySet<number>,
  ) {
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

  #options(looks: readonly Looks[], hidden: ReadonlySet<number>): uPlot.Options {
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
        setCursor: [(plot) => this.#listeners.onCursor(plot.cursor.idx ?? null)],
        setSelect: [(plot) => this.#selected(plot)],
      },
    };
  }

  #selected(plot: uPlot) {
    const { left, width } = plot.select;
    if (width < 5) return;
    const from = Math.floor(plot.posToVal(left, 'x'));
    const to = Math.ceil(plot.posToVal(left + width, 'x'));
    plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    if (to > from) this.#listeners.onSelect(from, to);
  }
}

/** A line of a few points alone would hardly be seen. */
function isSparse(plot: uPlot, index: number) {
  return valuesOf(plot, index).filter((value) => value !== null).length < SPARSE;
}

function valuesOf(plot: uPlot, index: number) {
  return plot.data[index] as (number | null)[];
}

/**
 * A point between two gaps has no line to show it.
 *
 * @returns indexes; null for all of them
 */
function alone(plot: uPlot, index: number, isShown: boolean): number[] | null {
  if (isShown) return null;
  const values = valuesOf(plot, index);
  const isKnown = (at: number) => (values[at] ?? null) !== null;
  return values.flatMap((_value, at) =>
    isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1) ? [at] : [],
  );
}

/** Areas end at the line below them, of the next series that is shown. */
function bandsOf(count: number, hidden: ReadonlySet<number>): uPlot.Band[] {
  const shown = Array.from({ length: count }, (_, index) => index).filter(
    (one) => !hidden.has(one),
  );
  return shown.slice(1).map((index, at) => ({ series: [index + 1, (shown[at] ?? 0) + 1] }));
}
