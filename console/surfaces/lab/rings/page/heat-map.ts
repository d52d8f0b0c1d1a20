import { call, query } from '../../../../ui/api.js';
import { ChartFigure } from '../../../../ui/charts/figure.js';
import { plain } from '../../../../ui/charts/shapes.js';
import { el } from '../../../../ui/dom.js';
import { note, problem, row, setViewState, viewState } from '../../page/ground.js';
import {
  clamped,
  decodeMap,
  mapChart,
  panned,
  plotOf,
  viewFromText,
  viewText,
  zoomed,
} from './map-chart.js';
import type { View } from './map-chart.js';
import type { RingContext } from './page.js';

/** After so long without a move, the counts of the new view are asked for. */
const SETTLE_MS = 120;
const CLOSER = 2;
const MIDDLE = { x: 0.5, y: 0.5 };

const KEYS: Readonly<Record<string, (view: View) => View>> = {
  ArrowLeft: (view) => panned(view, -0.25, 0),
  ArrowRight: (view) => panned(view, 0.25, 0),
  ArrowUp: (view) => panned(view, 0, -0.25),
  ArrowDown: (view) => panned(view, 0, 0.25),
  '+': (view) => zoomed(view, CLOSER, MIDDLE),
  '=': (view) => zoomed(view, CLOSER, MIDDLE),
  '-': (view) => zoomed(view, 1 / CLOSER, MIDDLE),
};

/** Which devices have which partitions. */
export async function heatMapPanel({ ring, report }: RingContext) {
  const { parts, devices, device_order: order } = await report();
  const whole = { part: 0, parts, device: 0, devices: order.length };
  const view = viewFromText(viewState().view ?? '', whole);
  const names = new Map(devices.map(({ id, ip, device }) => [id, `${ip}/${device}`]));
  const nameOf = (place: number) => names.get(order[place] ?? -1) ?? String(place);
  const map = await countsOf(ring.name, view);
  return [new MapPanel(ring.name, { map, view, whole, nameOf }).element];
}

async function countsOf(ring: string, { part, parts, device, devices }: View) {
  const [first, firstDevice] = [Math.floor(part), Math.floor(device)];
  const asked = query({
    first_part: first,
    parts: Math.ceil(part + parts) - first,
    first_device: firstDevice,
    devices: Math.ceil(device + devices) - firstDevice,
  });
  return decodeMap(await call('GET', `/lab/api/rings/${ring}/map?${asked}`));
}

/** The map of a ring, to move in and to look closer at. */
class MapPanel {
  element;
  #ring;
  #shown;
  #figure;
  #note = note();
  #said = el('div');
  /** Counts what was asked for: what is not the latest is not shown. */
  #asked = 0;
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Where the pointer went down, and on what. */
  #drag: { x: number; y: number; view: View } | null = null;

  constructor(ring: string, shown: Parameters<typeof mapChart>[0]) {
    this.#ring = ring;
    this.#shown = shown;
    this.#figure = new ChartFigure('Partitions and devices', mapChart(shown));
    const plane = el('div', { className: 'lab-map', tabIndex: 0 }, this.#figure.element);
    plane.setAttribute('role', 'group');
    plane.setAttribute('aria-label', 'Map: use the arrow keys to pan, plus and minus to zoom');
    plane.addEventListener('keydown', (event) => this.#key(event));
    plane.addEventListener('pointerdown', (event) => this.#grab(event));
    plane.addEventListener('pointermove', (event) => this.#pull(event));
    for (const end of ['pointerup', 'pointercancel'])
      plane.addEventListener(end, () => (this.#drag = null));
    plane.addEventListener('dblclick', (event) => this.#zoomAt(event, CLOSER));
    plane.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    const button = (textContent: string, next: () => View) =>
      el('button', { textContent, onclick: () => this.#move(next()) });
    const zoom = (factor: number) => () => zoomed(this.#shown.view, factor, MIDDLE);
    this.element = el(
      'div',
      {},
      row(
        button('Zoom in', zoom(CLOSER)),
        button('Zoom out', zoom(1 / CLOSER)),
        button('Show whole ring', () => this.#shown.whole),
      ),
      plane,
      this.#note,
      this.#said,
    );
    this.#explain();
  }

  #explain() {
    const { parts_per_row: parts, devices_per_column: devices } = this.#shown.map;
    const cell = `${plain(parts)} ${parts === 1 ? 'partition' : 'partitions'} on ${plain(devices)} ${devices === 1 ? 'device' : 'devices'}`;
    this.#note.textContent = `Each cell is ${cell}. Devices are ordered by region, zone and server. Drag to pan. Double-click or Ctrl+scroll to zoom.`;
  }

  #key(event: KeyboardEvent) {
    const next = KEYS[event.key];
    // Buttons and tables inside have keys of their own.
    if (next === undefined || event.target !== event.currentTarget) return;
    event.preventDefault();
    this.#move(next(this.#shown.view));
  }

  #grab(event: PointerEvent) {
    const { clientX: x, clientY: y, pointerType, button } = event;
    // A finger scrolls the page; the buttons are for it.
    if (pointerType === 'touch' || button !== 0 || this.#plot(event) === null) return;
    this.#drag = { x, y, view: this.#shown.view };
  }

  #pull(event: PointerEvent) {
    const plot = this.#plot(event);
    if (this.#drag === null || plot === null) return;
    if (event.buttons === 0) {
      this.#drag = null;
      return;
    }
    const { x, y, view } = this.#drag;
    const far = { x: (x - event.clientX) / plot.width, y: (y - event.clientY) / plot.height };
    this.#move(panned(view, far.x, far.y));
  }

  #wheel(event: WheelEvent) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.#zoomAt(event, 2 ** (-event.deltaY / 240));
  }

  #zoomAt(event: MouseEvent, factor: number) {
    const plot = this.#plot(event);
    if (plot !== null) this.#move(zoomed(this.#shown.view, factor, plot.at));
  }

  /** The cells on the page, and where in them the pointer is; null outside of the drawing. */
  #plot({ target, clientX, clientY }: MouseEvent) {
    const drawing = (target as HTMLElement).closest('svg.drawing');
    if (drawing === null) return null;
    const box = drawing.getBoundingClientRect();
    const { left, width, height } = plotOf(this.#shown.whole, box.width);
    const at = { x: (clientX - box.left - left) / width, y: (clientY - box.top) / height };
    return { width, height, at };
  }

  #move(view: View) {
    this.#shown = { ...this.#shown, view: clamped(view, this.#shown.whole) };
    // However many events there are, a frame is drawn once.
    if (this.#frame === 0) this.#frame = window.requestAnimationFrame(() => this.#draw());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#settle(), SETTLE_MS);
  }

  #draw() {
    this.#frame = 0;
    this.#figure.show(mapChart(this.#shown));
  }

  async #settle() {
    if (!this.element.isConnected) return;
    const { view, whole } = this.#shown;
    setViewState({ ...viewState(), view: viewText(view, whole) });
    const asked = ++this.#asked;
    try {
      const map = await countsOf(this.#ring, view);
      if (asked !== this.#asked) return;
      this.#shown = { ...this.#shown, map };
      this.#said.replaceChildren();
      this.#explain();
      this.#draw();
    } catch (error) {
      if (asked === this.#asked) this.#said.replaceChildren(problem(error));
    }
  }
}
