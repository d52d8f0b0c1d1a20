import { el, setAttributes, svg } from '../dom.js';
import { csvText } from './csv.js';
import type { Chart } from './shapes.js';

/** Charts and their figures as files. */

/** The height of a line of text in a picture. */
const PNG_LINE_PX = 20;

/** Saves a file, as a link to it would. */
export function download(name: string, content: string | Blob, type: string) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  el('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** @param name of the file, without its ending */
export function saveCsv(name: string, table: ReturnType<Chart['table']>) {
  download(`${name}.csv`, csvText(table), 'text/csv');
}

/** The rows as objects, whose keys are the titles of the columns. */
export function jsonText({ head, rows }: ReturnType<Chart['table']>) {
  const objects = rows.map((row) =>
    Object.fromEntries(head.map((title, index) => [title, row[index] ?? null])),
  );
  return `${JSON.stringify(objects, null, 2)}\n`;
}

/** @param name of the file, without its ending */
export function saveJson(name: string, table: ReturnType<Chart['table']>) {
  download(`${name}.json`, jsonText(table), 'application/json');
}

/** A copy that has its colours in itself: outside of the page there is no style sheet. */
function standalone(drawing: SVGSVGElement) {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const originals = [...drawing.querySelectorAll('*')];
  for (const [index, element] of [...copy.querySelectorAll('*')].entries()) {
    const original = originals[index];
    if (original === undefined || element.tagName === 'title') continue;
    const { fill, stroke, opacity } = getComputedStyle(original);
    setAttributes(element, { fill, stroke, opacity });
    element.removeAttribute('class');
  }
  const canvases = drawing.querySelectorAll('canvas');
  // Other programs know no canvas: it becomes an image.
  for (const [index, box] of copy.querySelectorAll('foreignObject').entries()) {
    const image = svg('image', { href: canvases[index]?.toDataURL() ?? '' });
    for (const name of ['x', 'y', 'width', 'height'])
      image.setAttribute(name, box.getAttribute(name) ?? '0');
    box.replaceWith(image);
  }
  const { backgroundColor, fontFamily } = getComputedStyle(document.body);
  copy.prepend(svg('rect', { width: '100%', height: '100%', fill: backgroundColor }));
  copy.setAttribute('font-family', fontFamily);
  copy.removeAttribute('class');
  copy.removeAttribute('aria-hidden');
  return new XMLSerializer().serializeToString(copy);
}

/**
 * A canvas as a picture, below its title and the names of its lines: outside of the page there is
 * no legend.
 *
 * @param name of the file, without its ending
 */
export function savePng(
  name: string,
  canvas: HTMLCanvasElement,
  { title, lines }: { title: string; lines: readonly { name: string; colour: string }[] },
) {
  const scale = canvas.width / canvas.clientWidth;
  const line = PNG_LINE_PX * scale;
  const { backgroundColor, color, fontFamily } = getComputedStyle(document.body);
  const height = canvas.height + line * (1.5 + lines.length);
  const picture = el('canvas', { width: canvas.width, height });
  const context = picture.getContext('2d');
  if (context === null) return;
  context.fillStyle = backgroundColor;
  context.fillRect(0, 0, picture.width, picture.height);
  context.font = `${12 * scale}px ${fontFamily}`;
  context.fillStyle = color;
  context.fillText(title, line / 2, line);
  context.drawImage(canvas, 0, 1.5 * line);
  for (const [at, one] of lines.entries()) {
    const y = 1.5 * line + canvas.height + at * line;
    context.fillStyle = one.colour;
    context.fillRect(line / 2, y + line / 4, line / 2, line / 2);
    context.fillStyle = color;
    context.fillText(one.name, 1.5 * line, y + 0.7 * line);
  }
  picture.toBlob((blob) => blob !== null && download(`${name}.png`, blob, blob.type), 'image/png');
}

/** @param name of the file, without its ending */
export function saveSvg(name: string, drawing: SVGSVGElement) {
  download(`${name}.svg`, standalone(drawing), 'image/svg+xml');
}
