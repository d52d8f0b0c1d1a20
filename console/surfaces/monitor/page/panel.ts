import { localTimes, timeAt } from '../../../ui/clock.js';
import { call, query } from '../../../ui/api.js';
import { saveCsv, savePng } from '../../../ui/charts/export.js';
import { el, messageOf } from '../../../ui/dom.js';
import { iconButton } from '../../../ui/icons.js';
import { skeleton } from '../../../ui/skeleton.js';
import { bars } from './bars.js';
import { Chart } from './chart.js';
import { Legend } from './legend.js';
import { looksOf } from './palette.js';
import { columnsOf, describe, figuresOf, latestIndex, nameOf } from './series.js';
import { seriesTable } from './series-table.js';
import { unavailable } from './state.js';
import { StateStrip } from './state-strip.js';
import type { ChartView } from '../charts.js';
import type { About } from './tiles.js';

const UNIT_WORDS = {
  per_s: 'per second',
  ratio: '%',
  s: 'time',
  bytes: 'bytes',
  bytes_per_s: 'bytes per second',
  count: 'count',
  s_per_s: 'seconds per second',
};

const NOTHING = 'no data in this time range';
/** Charts that show nothing are looked at again no more often. */
const AGAIN_MS = 30_000;

/** A chart with its title, legend, table and what is missing in it. */
export class Panel {
  element;
  #about;
  #chart;
  #legend;
  #canvas = el('div', { className: 'canvas', role: 'img' });
  #strip = new StateStrip();
  #onEmpty;
  /** Why it is not shown: it would be empty. Null while it is. */
  emptyBecause: string | null = null;
  #askedMs = -Infinity;
  #askedSpanS = 0;
  #body = el('div', { className: 'body' });
  #note = el('p', { className: 'quiet missing' });
  #table;
  #csv;
  #png;
  /** Indexes of series. */
  #hidden = new Set<number>();
  #answer: ChartView | null = null;
  #latest = 0;
  #asTable = false;

  /** @param listeners `onEmpty` is told when it became empty, or is so no more */
  constructor(
    about: About,
    listeners: { onSelect: (from: number, to: number) => void; onEmpty: () => void },
  ) {
    this.#about = about;
    this.#onEmpty = listeners.onEmpty;
    const { id, title, unit, recorded } = about;
    this.#legend = new Legend(unit, (index) => this.#toggle(index));
    this.#chart = new Chart(this.#canvas, about, {
      onCursor: (index) => this.#legend.at(index),
      onSelect: listeners.onSelect,
    });
    this.#canvas.ariaLabel = `Chart: ${title}`;
    this.#table = iconButton('table', `Table: ${title}`, () => this.#setTable(!this.#asTable));
    this.#table.ariaPressed = 'false';
    this.#csv = iconButton('download', `Download CSV: ${title}`, () => {
      if (this.#answer === null) return;
      const { series } = this.#answer;
      saveCsv(id, figuresOf(this.#names(series), columnsOf(series)));
    });
    this.#csv.disabled = true;
    this.#png = iconButton('image', `Download PNG: ${title}`, () => this.#savePicture());
    this.#png.hidden = true;
    this.#body.append(skeleton('block'));
    this.element = el(
      'section',
      { className: 'card panel', id: `panel-${id}`, ariaBusy: 'true' },
      el(
        'div',
        { className: 'row head' },
        el('h3', { id: `title-${id}`, textContent: title }),
        el('span', {
          className: 'quiet grow',
          textContent: about.kind === 'state' ? '' : UNIT_WORDS[unit],
        }),
        this.#table,
        this.#csv,
        this.#png,
      ),
      this.#body,
      this.#note,
    );
    this.element.setAttribute('aria-labelledby', `title-${id}`);
    if (!recorded) this.#setEmpty(NOTHING);
  }

  get title() {
    return this.#about.title;
  }

  /**
   * Whether it is worth asking for what is not seen: it is empty, and has not been asked for this
   * range, or for a while.
   *
   * @param range unix seconds
   */
  isDue({ from, to }: { from: number; to: number }) {
    if (this.emptyBecause === null) return false;
    return to - from !== this.#askedSpanS || performance.now() - this.#askedMs > AGAIN_MS;
  }

  #setEmpty(because: string | null) {
    const isNews = because !== this.emptyBecause;
    this.emptyBecause = because;
    this.element.hidden = because !== null;
    if (isNews) this.#onEmpty();
  }

  /** @param range unix seconds */
  async load({ from, to }: { from: number; to: number }) {
    const order = ++this.#latest;
    this.#askedMs = performance.now();
    this.#askedSpanS = to - from;
    try {
      const asked = query({ panel: this.#about.id, from, to });
      const answer = await call('GET', `/api/monitor/series?${asked}`, undefined, true);
      // An answer that is overtaken by a later question is of no use.
      if (order !== this.#latest) return;
      this.#answer = answer;
      this.#draw(answer);
    } catch (error) {
      if (order === this.#latest) this.#failed(error);
    }
  }

  redraw() {
    this.#chart.forgetLooks();
    if (this.#answer !== null) this.#draw(this.#answer);
  }

  destroy() {
    this.#latest += 1;
    this.#chart.destroy();
    this.#strip.destroy();
  }

  #names(series: ChartView['series']) {
    return series.map((one) => nameOf(one, this.#about.title));
  }

  #savePicture() {
    const canvas = this.#canvas.querySelector('canvas');
    if (this.#answer === null || canvas === null) return;
    const { series } = this.#answer;
    const { title, id } = this.#about;
    const lines = series
      .map((one, index) => ({ name: nameOf(one, title), colour: looksOf(one, index).colour }))
      .filter((_, index) => !this.#hidden.has(index));
    savePng(id, canvas, { title, lines });
  }

  #toggle(index: number) {
    if (!this.#hidden.delete(index)) this.#hidden.add(index);
    if (this.#answer !== null) this.#draw(this.#answer);
  }

  #setTable(asTable: boolean) {
    this.#asTable = asTable;
    this.#table.ariaPressed = String(asTable);
    if (this.#answer !== null) this.#draw(this.#answer);
  }

  /** The former values stay, and say how old they are. */
  #failed(error: unknown) {
    this.element.ariaBusy = 'false';
    // A chart that cannot be asked for is no empty chart.
    this.#setEmpty(null);
    if (this.#answer === null) this.#body.replaceChildren(unavailable(error));
    else {
      const since = timeAt(this.#answer.to_unix_s, 'second');
      this.#note.textContent = `Not updated since ${since}: ${messageOf(error)}`;
    }
  }

  #draw(answer: ChartView) {
    const { series, missing, from_unix_s: from, to_unix_s: to } = answer;
    const { title, unit, kind } = this.#about;
    this.element.ariaBusy = 'false';
    const gaps = missing.map(localTimes).join(' · ');
    const columns = columnsOf(series);
    const known = columns.slice(1).some((values) => values.some((value) => value !== null));
    this.#csv.disabled = !known;
    this.#png.hidden = this.#asTable || !known || kind === 'state' || kind === 'bars';
    if (!known) {
      this.#note.textContent = '';
      this.#setEmpty(gaps === '' ? NOTHING : gaps);
      return;
    }
    this.#setEmpty(null);
    this.#note.textContent = gaps;
    const names = this.#names(series);
    if (this.#asTable) {
      const top = this.#body.querySelector('.scroller')?.scrollTop ?? 0;
      const table = seriesTable(title, names, columns, unit);
      this.#body.replaceChildren(table);
      table.scrollTop = top;
      return;
    }
    if (kind === 'state') {
      if (!this.#body.contains(this.#strip.element))
        this.#body.replaceChildren(this.#strip.element);
      const latest = latestIndex(columns);
      this.#strip.show(names, columns, { from, to, stepS: answer.step_s, latest });
      return;
    }
    if (kind === 'bars') {
      this.#body.replaceChildren(bars(names, columns, unit));
      return;
    }
    if (!this.#body.contains(this.#canvas)) {
      this.#body.replaceChildren(this.#canvas, this.#legend.element);
    }
    this.#canvas.ariaLabel = describe(title, names, columns, unit);
    this.#chart.show(series, columns, { from, to }, this.#hidden);
    this.#legend.show(series, names, columns, this.#hidden);
  }
}
