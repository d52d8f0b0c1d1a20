import { svg } from '../dom.js';
import { widthOf, type Grid, type Shape, type Tone } from './shapes.js';

/** SVG of shapes. Colours are classes of `charts.css`, and so follow the theme. */

const TONES = 8;

/** The class that colours a tone. */
export function toneClass(tone: Tone) {
  return `tone-${typeof tone === 'number' ? tone % TONES : tone}`;
}

export function paint(
  shapes: readonly Shape[],
  { width, height }: { width: number; height: number },
) {
  const look = { class: 'drawing', 'aria-hidden': 'true' };
  const image = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, ...look });
  image.append(...shapes.map(elementOf));
  return image as SVGSVGElement;
}

function elementOf(shape: Shape) {
  if (shape.kind === 'cells') return cells(shape);
  if (shape.kind === 'canvas') return drawn(shape);
  const element = inked(shape);
  const classes = [element.getAttribute('class') ?? '', toneClass(shape.tone)];
  if (shape.faint) classes.push('faint');
  element.setAttribute('class', classes.filter(Boolean).join(' '));
  if (shape.title !== undefined) {
    const title = svg('title');
    title.textContent = shape.title;
    element.append(title);
  }
  return element;
}

function inked(shape: Exclude<Shape, { kind: 'cells' | 'canvas' }>) {
  switch (shape.kind) {
    case 'rect': {
      const { x, y, width, height, hatched = false } = shape;
      const look = hatched ? 'fill hatched' : 'fill';
      return svg('rect', { x, y, width, height, rx: 3, class: look });
    }
    case 'path': {
      const { d, filled = false, dashed = false, width = 2 } = shape;
      const dash = dashed ? { 'stroke-dasharray': '5 4' } : {};
      return svg('path', { d, class: filled ? 'fill' : 'stroke', 'stroke-width': width, ...dash });
    }
    case 'dot': {
      const { x, y, r, shape: form = 'circle', hollow = false } = shape;
      const ink = hollow ? { class: 'stroke hollow', 'stroke-width': 2 } : { class: 'fill' };
      if (form === 'circle') return svg('circle', { cx: x, cy: y, r, ...ink });
      const d = `M${x} ${y - r * 1.2}L${x + r * 1.2} ${y}L${x} ${y + r * 1.2}L${x - r * 1.2} ${y}Z`;
      return svg('path', { d, ...ink });
    }
    case 'text': {
      const { x, y, text, anchor = 'start', size = 12, bold = false, space = Infinity } = shape;
      const look = { 'font-size': size, 'font-weight': bold ? 600 : 400 };
      // A name that may lie over points has an edge of the ground's colour.
      const halo = bold ? { 'paint-order': 'stroke', 'stroke-width': 4 } : {};
      const kind = bold ? 'fill halo' : 'fill';
      const place = { x, y, 'text-anchor': anchor, class: kind };
      const element = svg('text', { ...place, ...look, ...halo });
      element.textContent = cut(text, space);
      return element;
    }
  }
}

/** @param space pixels */
function cut(text: string, space: number) {
  if (widthOf(text) <= space) return text;
  const letters = Math.max(1, Math.floor((text.length * space) / widthOf(text)) - 1);
  return `${text.slice(0, letters)}…`;
}

/** @param name of a colour of the style sheet, as `#rrggbb` */
function channels(name: string) {
  const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

const bitmaps = new WeakMap<Grid, { colours: string; canvas: HTMLCanvasElement }>();
/** Levels of a grid, but for the one that is unknown. */
const LEVELS = 255;

/**
 * The cells as a picture of a pixel each. It is made once for each theme: what moves or resizes a
 * heat map copies it, and looks at no cell again.
 */
function bitmapOf(grid: Grid) {
  const [low, high] = ['--heat-low', '--heat-high'].map(channels);
  const colours = JSON.stringify([low, high]);
  const known = bitmaps.get(grid);
  if (known?.colours === colours) return known.canvas;
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, grid.columns);
  canvas.height = Math.max(1, grid.rows);
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  const picture = context.createImageData(canvas.width, canvas.height);
  const table = new Uint8ClampedArray(4 * (LEVELS + 1));
  for (let level = 1; level <= LEVELS; level++) {
    const share = (level - 1) / (LEVELS - 1);
    for (const part of [0, 1, 2]) {
      const [from, to] = [low?.[part] ?? 0, high?.[part] ?? 0];
      table[4 * level + part] = from + share * (to - from);
    }
    table[4 * level + 3] = 255;
  }
  const colourOf = new Uint32Array(table.buffer);
  const pixels = new Uint32Array(picture.data.buffer);
  for (const [at, level] of grid.levels.entries()) pixels[at] = colourOf[level] ?? 0;
  context.putImageData(picture, 0, 0);
  bitmaps.set(grid, { colours, canvas });
  return canvas;
}

function cells({ x, y, width, height, grid, part }: Extract<Shape, { kind: 'cells' }>) {
  const whole = { x: 0, y: 0, width: grid.columns, height: grid.rows };
  const { x: left, y: top, ...size } = part ?? whole;
  return picture({ x, y, width, height }, (context) => {
    // Large cells have sharp edges; small ones are blended.
    context.imageSmoothingEnabled = size.width > context.canvas.width;
    context.scale(width / size.width, height / size.height);
    context.drawImage(bitmapOf(grid), -left, -top);
  });
}

function drawn({ draw, ...place }: Extract<Shape, { kind: 'canvas' }>) {
  const [low, even, high] = ['--warn', '--line', '--accent'].map(channels);
  return picture(place, (context) =>
    draw(context, (far) => {
      const end = (far < 0 ? low : high) ?? [];
      const share = Math.abs(far);
      const mixed = [0, 1, 2].map((at) =>
        Math.round((even?.[at] ?? 0) + share * ((end[at] ?? 0) - (even?.[at] ?? 0))),
      );
      return `rgb(${mixed.join(' ')})`;
    }),
  );
}

/**
 * A canvas as sharp as the screen. It stays a canvas: to pack it as an image would take longer than
 * to draw it, and only a file needs that.
 *
 * @param draw in pixels of the place
 */
function picture(
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  draw: (context: CanvasRenderingContext2D) => void,
) {
  const canvas = document.createElement('canvas');
  const scale = Math.min(2, globalThis.devicePixelRatio || 1);
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.scale(scale, scale);
  draw(context);
  const box = svg('foreignObject', { x, y, width, height });
  box.append(canvas);
  return box;
}
