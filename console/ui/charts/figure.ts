import { el, scrollRegion } from '../dom.js';
import { iconButton } from '../icons.js';
import { onLooks } from '../looks.js';
import { saveCsv, saveJson, saveSvg } from './export.js';
import { paint, toneClass } from './paint.js';
import { plain, type Chart } from './shapes.js';

const WIDTH_LEAST = 240;
/** Rows and columns of a table on the page; more would take seconds to lay out. */
const ROWS_SHOWN = 500;
const COLUMNS_SHOWN = 40;

/**
 * A chart on the page: its title, its legend, the same figures as a table, and both as files.
 * Readers who do not see it get its description.
 */
export class ChartFigure {
  element;
  #chart;
  #title;
  #body = el('div', { className: 'chart-body' });
  #legend = el('ul', { className: 'chart-legend' });
  /** The value under the pointer: the table has it for users without a pointer. */
  #readout = el('p', { className: 'chart-readout quiet' });
  #describes = el('p', { className: 'sr' });
  #table;
  #svg;
  #asTable = false;
  #width = 0;
  #resize = new ResizeObserver(() => this.#fit());
  #forget = onLooks(() => this.#draw());

  constructor(title: string, chart: Chart) {
    this.#title = title;
    this.#chart = chart;
    const file = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    this.#table = iconButton('table', `Table: ${title}`, () => this.#turn());
    this.#table.setAttribute('aria-pressed', 'false');
    const csv = iconButton('download', `Download CSV: ${title}`, () =>
      saveCsv(file, this.#chart.table()),
    );
    const json = iconButton('file-braces', `Download JSON: ${title}`, () =>
      saveJson(file, this.#chart.table()),
    );
    this.#svg = iconButton('image', `Download SVG: ${title}`, () => {
      const drawing = this.#body.querySelector('svg');
      if (drawing !== null) saveSvg(file, drawing);
    });
    this.element = el(
      'section',
      { className: 'card chart' },
      el(
        'div',
        { className: 'row' },
        el('h2', { className: 'grow', textContent: title }),
        ...[this.#table, csv, json, this.#svg],
      ),
      this.#describes,
      this.#body,
      this.#readout,
      this.#legend,
    );
    this.#readout.setAttribute('aria-hidden', 'true');
    this.#body.addEventListener('pointermove', (event) => this.#point(event));
    this.#body.addEventListener('pointerleave', () => this.#read(''));
    this.element.setAttribute('aria-label', title);
    this.#resize.observe(this.#body);
    this.#draw();
  }

  /** @param chart the latest */
  show(chart: Chart) {
    this.#chart = chart;
    this.#draw();
  }

  /** Forgets the page: a figure that is taken away is drawn no more. */
  destroy() {
    this.#resize.disconnect();
    this.#forget();
  }

  #point({ clientX, clientY }: PointerEvent) {
    const drawing = this.#body.querySelector('svg');
    if (this.#chart.at === undefined || drawing === null) return;
    const { left, top, width } = drawing.getBoundingClientRect();
    this.#read(this.#chart.at(clientX - left, clientY - top, width));
  }

  #read(text: string) {
    if (this.#readout.textContent !== text) this.#readout.textContent = text;
  }

  #turn() {
    this.#asTable = !this.#asTable;
    this.#table.setAttribute('aria-pressed', String(this.#asTable));
    this.#svg.disabled = this.#asTable;
    this.#draw();
  }

  #fit() {
    const width = this.#body.clientWidth;
    if (width !== this.#width && !this.#asTable) this.#draw();
  }

  #draw() {
    const { legend = [] } = this.#chart;
    this.#describes.textContent = this.#chart.describe();
    this.#legend.hidden = legend.length === 0 || this.#asTable;
    this.#readout.hidden = this.#chart.at === undefined || this.#asTable;
    this.#read('');
    this.#legend.replaceChildren(
      ...legend.map(({ text, tone }) =>
        el('li', {}, el('span', { className: `chart-swatch ${toneClass(tone)}` }), text),
      ),
    );
    if (this.#asTable) {
      this.#body.replaceChildren(tableOf(this.#title, this.#chart.table()));
      return;
    }
    this.#width = this.#body.clientWidth;
    const width = Math.max(WIDTH_LEAST, this.#width);
    const size = { width, height: this.#chart.height(width) };
    this.#body.replaceChildren(paint(this.#chart.shapes(width), size));
  }
}

/** The first rows and columns; the files have all of them. */
function tableOf(title: string, { head, rows }: ReturnType<Chart['table']>) {
  const titles = head.slice(0, COLUMNS_SHOWN);
  const shown = rows.slice(0, ROWS_SHOWN).map((row) => row.slice(0, COLUMNS_SHOWN));
  const isCut = shown.length < rows.length || titles.length < head.length;
  const text = isCut
    ? `${title}: ${shown.length} of ${rows.length} rows, ${titles.length} of ${head.length} columns. Download the files for the complete data.`
    : title;
  const made = el(
    'table',
    {},
    el('caption', { className: isCut ? 'quiet' : 'sr', textContent: text }),
    el(
      'thead',
      {},
      el('tr', {}, ...titles.map((textContent) => el('th', { scope: 'col', textContent }))),
    ),
    el('tbody', {}, ...shown.map((row) => el('tr', {}, ...row.map(cellOf)))),
  );
  const box = scrollRegion(`Table: ${title}`, made);
  box.classList.add('chart-table');
  return box;
}

function cellOf(figure: string | number | null) {
  if (typeof figure === 'number')
    return el('td', { className: 'number', textContent: plain(figure) });
  return el('td', { textContent: figure ?? 'unknown' });
}
