import { query, raw } from '../../../ui/api.js';
import { bytesText, el, messageOf, scrollRegion, shownText } from '../../../ui/dom.js';
import { skeleton } from '../../../ui/skeleton.js';
import { parseCsv } from './formats/csv.js';
import { indentJson } from './formats/json.js';
import { parseMarkdown, type Inline } from './formats/markdown.js';
import { quiet } from './s3/fields.js';

const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Larger pictures are fetched on demand. */
const IMAGE_BYTES_MAX = 5 * 1024 * 1024;
/** A text that has a line or two. */
const SHORT_TEXT_BYTES = 80;
const MEDIA = /^(?:audio|video)\//;
const TEXTS = /^(?:text\/|application\/(?:json|xml|x-yaml|yaml|toml|javascript|x-sh|sql|csv))/;
const CSV_BOUNDS = { rowsMax: 200, columnsMax: 50 };

/** The formats of a text, by its type or, where that says nothing, by its name. */
const FORMATS: readonly (readonly [
  type: RegExp,
  name: RegExp,
  show: (text: string, isCut: boolean) => Node | null,
])[] = [
  [/^(?:text|application)\/(?:csv|tab-separated-values)$/, /\.[ct]sv$/i, csvTable],
  [/^application\/(?:json|[\w.+-]+\+json)$/, /\.(?:json|geojson)$/i, jsonText],
  [/^text\/(?:x-)?markdown$/, /\.(?:md|markdown)$/i, markdown],
];

/**
 * A look at an object: pictures, sound and films of types that browsers show without running anything
 * of them, and the beginning of texts.
 */
export function previewOf(
  container: string,
  name: string,
  { bytes, content_type: type }: { bytes: number; content_type: string },
) {
  const [plain = ''] = type.split(';');
  const section = el('section', { className: 'preview' }, el('h3', { textContent: 'Preview' }));
  const body = el('div');
  section.append(body);
  const src = `/api/files/object/body?${query({ container, name, disposition: 'inline' })}`;
  if (IMAGES.has(plain)) {
    const show = () => body.replaceChildren(imageOf(src, name));
    if (bytes <= IMAGE_BYTES_MAX) show();
    else body.append(buttonFor(`Show image (${bytesText(bytes)})`, show));
  } else if (MEDIA.test(plain)) body.append(playerOf(src, name, plain));
  else if (plain === 'application/pdf')
    body.append(quiet('A PDF can run scripts, so it is not shown here. Download it instead.'));
  else {
    const format = FORMATS.find(([types, names]) => types.test(plain) || names.test(name));
    const place = { container, name, bytes };
    const show = () => showText(body, place, format?.[2] ?? (() => null));
    if (format !== undefined || TEXTS.test(plain)) void show();
    else body.append(buttonFor('Show as text', show));
  }
  return section;
}

function buttonFor(text: string, work: () => unknown) {
  return el('button', { textContent: text, onclick: work });
}

function imageOf(src: string, name: string) {
  const image = el('img', { src, alt: `Preview of ${name}` });
  image.onerror = () => image.replaceWith('This image cannot be displayed.');
  return image;
}

/** Sound or film: the browser asks for the parts that it plays. */
function playerOf(src: string, name: string, type: string) {
  const player = el(type.startsWith('audio/') ? 'audio' : 'video', {
    ...{ src, controls: true, preload: 'metadata' },
  });
  player.setAttribute('aria-label', `Preview of ${name}`);
  player.onerror = () => player.replaceWith(quiet('This browser cannot play this file.'));
  return player;
}

/**
 * The beginning of a text: formatted where it has a format, and as it is.
 *
 * @param format null for a text that cannot be
 */
async function showText(
  body: HTMLElement,
  { container, name, bytes }: { container: string; name: string; bytes: number },
  format: (text: string, isCut: boolean) => Node | null,
) {
  body.replaceChildren(skeleton(bytes > SHORT_TEXT_BYTES ? 'block' : 1));
  try {
    const answer = await raw('GET', `/api/files/object/preview?${query({ container, name })}`);
    const text = await answer.text();
    const isCut = answer.headers.get('x-preview-truncated') === '1';
    const said =
      text === '' ? 'The object is empty.' : isCut ? 'Only the first 64 KiB are shown.' : '';
    const notes = said === '' ? [] : [quiet(said)];
    const plain = el('pre', { textContent: text, tabIndex: 0 });
    plain.setAttribute('aria-label', `Preview of ${name}`);
    const formatted = text === '' ? null : format(text, isCut);
    if (formatted === null) body.replaceChildren(...(text === '' ? [] : [plain]), ...notes);
    else {
      const both = [formatted, plain];
      plain.hidden = true;
      const other = buttonFor('Show as text', () => {
        for (const one of both) {
          const element = one as HTMLElement;
          element.hidden = !element.hidden;
        }
        other.textContent = plain.hidden ? 'Show as text' : 'Show formatted';
      });
      body.replaceChildren(other, ...both, ...notes);
    }
  } catch (error) {
    body.replaceChildren(quiet(messageOf(error)));
  }
}

function csvTable(text: string, isCut: boolean) {
  // A line that was cut is none of the table's.
  const whole = isCut ? text.slice(0, text.lastIndexOf('\n') + 1) : text;
  const { rows, hasMore } = parseCsv(whole, CSV_BOUNDS);
  const [head = [], ...others] = rows;
  if (head.length < 2 && others.length === 0) return null;
  const scroll = scrollRegion(
    'Table preview',
    plainTable(head, others, (one) => [shownText(one)]),
  );
  if (hasMore) scroll.append(quiet(`Only the first ${CSV_BOUNDS.rowsMax} rows are shown.`));
  return scroll;
}

function jsonText(text: string, isCut: boolean) {
  const indented = isCut ? null : indentJson(text);
  if (indented === null) return null;
  const box = el('pre', { textContent: indented, tabIndex: 0 });
  box.setAttribute('aria-label', 'JSON');
  return box;
}

function markdown(text: string) {
  const blocks = parseMarkdown(text).map((block) => {
    if (block.kind === 'rule') return el('hr');
    if (block.kind === 'code') return el('pre', { textContent: block.text, tabIndex: 0 });
    if (block.kind === 'list') {
      const items = block.items.map((one) => el('li', {}, ...inlineNodes(one)));
      return el(block.ordered ? 'ol' : 'ul', {}, ...items);
    }
    if (block.kind === 'table') {
      const table = plainTable(block.head, block.rows, inlineNodes);
      return el('div', { className: 'table-scroll' }, table);
    }
    const content = inlineNodes(block.content);
    if (block.kind !== 'heading') {
      return el(block.kind === 'quote' ? 'blockquote' : 'p', {}, ...content);
    }
    const heading = el('p', { className: 'heading' }, ...content);
    // The headings of the page go down to h3: those of the text are below it.
    heading.setAttribute('role', 'heading');
    heading.setAttribute('aria-level', String(Math.min(6, block.level + 3)));
    heading.dataset.level = String(block.level);
    return heading;
  });
  return el('div', { className: 'markdown' }, ...blocks);
}

function plainTable<Cell>(
  head: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  content: (cell: Cell) => (Node | string)[],
) {
  const line = (tag: 'th' | 'td', cells: readonly Cell[]) =>
    el('tr', {}, ...cells.map((one) => el(tag, {}, ...content(one))));
  const body = el('tbody', {}, ...rows.map((cells) => line('td', cells)));
  return el('table', { className: 'plain' }, el('thead', {}, line('th', head)), body);
}

function inlineNodes(content: readonly Inline[]): (Node | string)[] {
  return content.map((one) => {
    const text = shownText(one.text);
    if (one.kind === 'text') return one.text;
    if (one.kind !== 'link') return el(one.kind, { textContent: text });
    const { href } = one;
    // Where it leads is said: the text of a link may say something else.
    return el('a', { href, title: href, target: '_blank', rel: 'noopener noreferrer' }, text);
  });
}
