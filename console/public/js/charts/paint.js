import { widthOf } from './shapes.js';

/** SVG of shapes. Colours are classes of `charts.css`, and so follow the theme. */

/**
 * @typedef {import('./shapes.js').Shape} Shape
 * @typedef {import('./shapes.js').Tone} Tone
 */

const SVG = 'http://www.w3.org/2000/svg';
const TONES = 8;

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 */
function make(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/**
 * The class that colours a tone.
 *
 * @param {Tone} tone
 */
export function toneClass(tone) {
  return `tone-${typeof tone === 'number' ? tone % TONES : tone}`;
}

/**
 * @param {readonly Shape[]} shapes
 * @param {{ width: number, height: number }} size
 */
export function paint(shapes, { width, height }) {
  const image = make('svg', { width, height, viewBox: `0 0 ${width} ${height}` });
  image.setAttribute('xmlns', SVG);
  image.setAttribute('class', 'drawing');
  image.setAttribute('aria-hidden', 'true');
  image.append(...shapes.map(elementOf));
  return /** @type {SVGSVGElement} */ (image);
}

/** @param {Shape} shape */
function elementOf(shape) {
  if (shape.kind === 'cells') return cells(shape);
  if (shape.kind === 'canvas') return drawn(shape);
  const element = inked(shape);
  const classes = [element.getAttribute('class') ?? '', toneClass(shape.tone)];
  if (shape.faint) classes.push('faint');
  element.setAttribute('class', classes.filter(Boolean).join(' '));
  if (shape.title !== undefined) {
    const title = make('title', {});
    title.textContent = shape.title;
    element.append(title);
  }
  return element;
}

/** @param {Exclude<Shape, { kind: 'cells' | 'canvas' }>} shape */
function inked(shape) {
  switch (shape.kind) {
    case 'rect': {
      const { x, y, width, height, hatched = false } = shape;
      const look = hatched ? 'fill hatched' : 'fill';
      return make('rect', { x, y, width, height, rx: 3, class: look });
    }
    case 'path': {
      const { d, filled = false, dashed = false, width = 2 } = shape;
      const dash = dashed ? { 'stroke-dasharray': '5 4' } : {};
      return make('path', { d, class: filled ? 'fill' : 'stroke', 'stroke-width': width, ...dash });
    }
    case 'dot': {
      const { x, y, r, shape: form = 'circle' } = shape;
      if (form === 'circle') return make('circle', { cx: x, cy: y, r, class: 'fill' });
      const d = `M${x} ${y - r * 1.2}L${x + r * 1.2} ${y}L${x} ${y + r * 1.2}L${x - r * 1.2} ${y}Z`;
      return make('path', { d, class: 'fill' });
    }
    case 'text': {
      const { x, y, text, anchor = 'start', size = 12, bold = false, space = Infinity } = shape;
      const look = { 'font-size': size, 'font-weight': bold ? 600 : 400 };
      // A name that may lie over points has an edge of the ground's colour.
      const halo = bold ? { 'paint-order': 'stroke', 'stroke-width': 4 } : {};
      const kind = bold ? 'fill halo' : 'fill';
      const place = { x, y, 'text-anchor': anchor, class: kind };
      const element = make('text', { ...place, ...look, ...halo });
      element.textContent = cut(text, space);
      return element;
    }
  }
}

/**
 * @param {string} text
 * @param {number} space pixels
 */
function cut(text, space) {
  if (widthOf(text) <= space) return text;
  const letters = Math.max(1, Math.floor((text.length * space) / widthOf(text)) - 1);
  return `${text.slice(0, letters)}…`;
}

/** @param {string} name of a colour of the style sheet, as `#rrggbb` */
function channels(name) {
  const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

/** @type {WeakMap<import('./shapes.js').Grid, { colours: string, canvas: HTMLCanvasElement }>} */
const bitmaps = new WeakMap();
/** Levels of a grid, but for the one that is unknown. */
const LEVELS = 255;

/**
 * The cells as a picture of a pixel each. It is made once for each theme: what moves or resizes a
 * heat map copies it, and looks at no cell again.
 *
 * @param {import('./shapes.js').Grid} grid
 */
function bitmapOf(grid) {
  const [low, high] = ['--heat-low', '--heat-high'].map(channels);
  const colours = JSON.stringify([low, high]);
  const known = bitmaps.get(grid);
  if (known?.colours === colours) return known.canvas;
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, grid.columns);
  canvas.height = Math.max(1, grid.rows);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
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

/** @param {Extract<Shape, { kind: 'cells' }>} shape */
function cells({ x, y, width, height, grid, part }) {
  const {
    x: left,
    y: top,
    ...size
  } = part ?? {
    ...{ x: 0, y: 0, width: grid.columns, height: grid.rows },
  };
  return picture({ x, y, width, height }, (context) => {
    // Large cells have sharp edges; small ones are blended.
    context.imageSmoothingEnabled = size.width > context.canvas.width;
    context.scale(width / size.width, height / size.height);
    context.drawImage(bitmapOf(grid), -left, -top);
  });
}

/** @param {Extract<Shape, { kind: 'canvas' }>} shape */
function drawn({ draw, ...place }) {
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
 * @param {{ x: number, y: number, width: number, height: number }} place
 * @param {(context: CanvasRenderingContext2D) => void} draw in pixels of the place
 */
function picture({ x, y, width, height }, draw) {
  const canvas = document.createElement('canvas');
  const scale = Math.min(2, globalThis.devicePixelRatio || 1);
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.scale(scale, scale);
  draw(context);
  const box = make('foreignObject', { x, y, width, height });
  box.append(canvas);
  return box;
}
