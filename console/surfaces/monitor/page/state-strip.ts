import { timeAt } from '../../../ui/clock.js';
import { paint } from '../../../ui/charts/paint.js';
import { timeTicksOf, type Chart } from '../../../ui/charts/shapes.js';
import { swimLanes, type Span } from '../../../ui/charts/swim-lanes.js';
import { el } from '../../../ui/dom.js';
import type { Columns } from './series.js';

const WIDTH_LEAST = 240;
/** Steps after which a value says nothing of now. */
const OLD_STEPS = 4;
const LEGEND = [
  { text: 'up', tone: 'good' },
  { text: 'down', tone: 'crit' },
  { text: 'partly up', tone: 'warn' },
] as const;

/** 1 is up and 0 is down; the mean of a time in which it was both is between them. */
function stateOf(value: number) {
  const [up, down, partly] = LEGEND;
  return value >= 1 ? up : value <= 0 ? down : partly;
}

/**
 * From when to when something was up or down. A time of which nothing is known is in no span.
 *
 * @param times unix seconds, each the end of a step
 */
export function spansOf(
  times: readonly number[],
  values: readonly (number | null)[],
  stepS: number,
): Span[] {
  const spans: (Span & { to: number })[] = [];
  times.forEach((time, at) => {
    const value = values[at] ?? null;
    if (value === null) return;
    const { text, tone } = stateOf(value);
    const from = time - stepS;
    const last = spans.at(-1);
    if (last?.text === text && last.to >= from) last.to = time;
    else spans.push({ from, to: time, text, tone });
  });
  return spans;
}

/**
 * Counts the latest values that are up: a reader wants to know this first.
 *
 * @param latest index of the latest time
 */
export function countUp(
  [, ...all]: Columns,
  latest: number,
): { up: number; known: number; all: number } {
  const values = all.map((one) => one[latest] ?? null).filter((value) => value !== null);
  return { up: values.filter((value) => value >= 1).length, known: values.length, all: all.length };
}

/**
 * Names without what all of them begin with: beside a strip there is little room, and what is cut off
 * would be what tells them apart.
 *
 * @param names whose parts are joined by ` · `
 */
export function shortNames(names: readonly string[]): string[] {
  const all = names.map((name) => name.split(' · '));
  const [first = []] = all;
  const shared = (at: number) =>
    all.every((parts) => parts.length > at + 1 && parts[at] === first[at]);
  let from = 0;
  while (names.length > 1 && shared(from)) from += 1;
  return all.map((parts) => parts.slice(from).join(' · '));
}

/** The present and the former states: a big number, and a strip for each series. */
export class StateStrip {
  element = el('div', { className: 'states' });
  #big = el('p', { className: 'value' });
  #drawing = el('div', { className: 'chart-body', role: 'img' });
  #resize = new ResizeObserver(() => this.#draw());
  #width = 0;
  #chart: Chart | null = null;

  constructor() {
    this.element.append(this.#big, this.#drawing);
    this.#resize.observe(this.#drawing);
  }

  /** @param range unix seconds; `latest` is the index of the latest known time */
  show(
    names: readonly string[],
    columns: Columns,
    { from, to, stepS, latest }: { from: number; to: number; stepS: number; latest: number },
  ) {
    const [times, ...all] = columns;
    const { up, known, all: count } = countUp(columns, latest);
    const rest = known === count ? 'up' : `up, ${count - known} unknown`;
    const last = times[latest] ?? 0;
    const told = `${up} / ${count} ${rest}`;
    // A series that was up a while ago may be down by now.
    const isOld = last < to - OLD_STEPS * stepS;
    const [big, small] = isOld
      ? ['No data', `; last: ${told} at ${timeAt(last, 'second')}`]
      : [String(up), told.slice(String(up).length)];
    this.#big.replaceChildren(big, el('small', { textContent: small }));
    const state = up === count ? 'ok' : up < known ? 'crit' : 'unknown';
    this.element.dataset.state = isOld ? 'unknown' : state;
    const lanes = shortNames(names).map((name, index) => ({
      name,
      spans: spansOf(times, all[index] ?? [], stepS),
    }));
    const format = (at: number) => timeAt(at, to - from > 86_400 ? 'day' : 'minute');
    this.#chart = swimLanes({ lanes, from, to, format, ticks: timeTicksOf });
    this.#drawing.ariaLabel = `${up} of ${count} up. ${this.#chart.describe()}`;
    this.#width = 0;
    this.#draw();
  }

  destroy() {
    this.#resize.disconnect();
  }

  #draw() {
    const width = Math.max(WIDTH_LEAST, this.#drawing.clientWidth);
    if (this.#chart === null || width === this.#width) return;
    this.#width = width;
    const size = { width, height: this.#chart.height(width) };
    this.#drawing.replaceChildren(paint(this.#chart.shapes(width), size));
  }
}
