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
      const element = make('text', { x, y, 'text-anchor': anchor, class: 'fill', ...look });
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

/**
 * Thousands of cells are one picture, of a pixel each.
 *
 * @param {Extract<Shape, { kind: 'cells' }>} shape
 */
function cells({ x, y, width, height, values }) {
  const columns = Math.max(1, values[0]?.length ?? 1);
  const canvas = document.createElement('canvas');
  canvas.width = columns;
  canvas.height = Math.max(1, values.length);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const pixels = context.createImageData(canvas.width, canvas.height);
  const low = channels('--heat-low');
  const high = channels('--heat-high');
  for (const [row, line] of values.entries()) {
    for (const [column, share] of line.entries()) {
      if (share === null) continue;
      const at = (row * columns + column) * 4;
      for (const part of [0, 1, 2])
        pixels.data[at + part] = (low[part] ?? 0) + share * ((high[part] ?? 0) - (low[part] ?? 0));
      pixels.data[at + 3] = 255;
    }
  }
  context.putImageData(pixels, 0, 0);
  const href = canvas.toDataURL();
  return make('image', { x, y, width, height, href, preserveAspectRatio: 'none', class: 'cells' });
}

/**
 * A drawing as one picture, as sharp as the screen.
 *
 * @param {Extract<Shape, { kind: 'canvas' }>} shape
 */
function drawn({ x, y, width, height, draw }) {
  const canvas = document.createElement('canvas');
  const scale = Math.min(2, globalThis.devicePixelRatio || 1);
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.scale(scale, scale);
  const [low, even, high] = ['--warn', '--line', '--accent'].map(channels);
  draw(context, (far) => {
    const end = (far < 0 ? low : high) ?? [];
    const share = Math.abs(far);
    const mixed = [0, 1, 2].map((at) =>
      Math.round((even?.[at] ?? 0) + share * ((end[at] ?? 0) - (even?.[at] ?? 0))),
    );
    return `rgb(${mixed.join(' ')})`;
  });
  return make('image', { x, y, width, height, href: canvas.toDataURL() });
}
