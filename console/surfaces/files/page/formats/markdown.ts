export type Inline =
  | { kind: 'text' | 'code' | 'strong' | 'em'; text: string }
  | { kind: 'link'; text: string; href: string };

type Block =
  | { kind: 'heading'; level: number; content: Inline[] }
  | { kind: 'paragraph' | 'quote'; content: Inline[] }
  | { kind: 'list'; ordered: boolean; items: Inline[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'code'; text: string }
  | { kind: 'rule' };

const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const FENCE = /^ {0,3}(?:```|~~~)/;
const BULLET = /^\s{0,6}[-*+]\s+(.*)$/;
const NUMBER = /^\s{0,6}\d{1,9}[.)]\s+(.*)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
/** Below the head of a table: a cell of its rule. */
const TABLE_RULE = /^:?-+:?$/;
/** Longer lines stay as they are: looking for pairs of signs takes time with the square of it. */
const LINE_MAX = 4096;
const SPAN =
  /(`[^`]+`)|\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|!\[([^\]]*)\]\([^)\s]*\)|\[([^\]]+)\]\(([^)\s]+)\)/g;
/** Other schemes can run code. */
const SAFE_LINK = /^https?:\/\//i;

/**
 * Reads the usual part of Markdown: headings, paragraphs, lists, tables, quotes, code, emphasis and
 * links.
 * HTML in it is text, and pictures are their descriptions: nothing is fetched.
 */
export function parseMarkdown(text: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  const endParagraph = () => {
    if (lines.length > 0) blocks.push({ kind: 'paragraph', content: inlineOf(lines.join(' ')) });
    lines = [];
  };
  const all = text.split(/\r?\n/);
  for (let at = 0; at < all.length; at++) {
    const line = all[at] ?? '';
    const last = blocks.at(-1);
    const heading = HEADING.exec(line);
    const bullet = RULE.test(line) ? null : BULLET.exec(line);
    const item = bullet ?? NUMBER.exec(line);
    const quote = QUOTE.exec(line);
    const rows = tableLines(all, at);
    if (rows.length > 0) {
      endParagraph();
      const [head = [], ...body] = rows.map((row) => cellsOf(row).map(inlineOf));
      blocks.push({ kind: 'table', head, rows: body });
      // The rule below the head is none of its rows.
      at += rows.length;
    } else if (FENCE.test(line)) {
      endParagraph();
      const begin = at + 1;
      at = begin;
      while (at < all.length && !FENCE.test(all[at] ?? '')) at += 1;
      blocks.push({ kind: 'code', text: all.slice(begin, at).join('\n') });
    } else if (heading !== null) {
      endParagraph();
      const [, signs = '', title = ''] = heading;
      const content = inlineOf(title.replace(/\s#+\s*$/, ''));
      blocks.push({ kind: 'heading', level: signs.length, content });
    } else if (RULE.test(line)) {
      endParagraph();
      blocks.push({ kind: 'rule' });
    } else if (item !== null) {
      const ordered = bullet === null;
      const goesOn = lines.length === 0 && last?.kind === 'list' && last.ordered === ordered;
      endParagraph();
      const content = inlineOf(item[1] ?? '');
      if (goesOn) last.items.push(content);
      else blocks.push({ kind: 'list', ordered, items: [content] });
    } else if (quote !== null) {
      endParagraph();
      blocks.push({ kind: 'quote', content: inlineOf(quote[1] ?? '') });
    } else if (line.trim() === '') endParagraph();
    else lines.push(line.trim());
  }
  endParagraph();
  return blocks;
}

/** The lines of a table without its rule; none where no table begins. */
function tableLines(all: readonly string[], at: number) {
  const [head = '', rule = ''] = [all[at], all[at + 1]];
  if (!head.includes('|') || !rule.includes('|')) return [];
  const rules = cellsOf(rule);
  const isRule = rules.every((cell) => TABLE_RULE.test(cell));
  if (!isRule || cellsOf(head).length !== rules.length) return [];
  let end = at + 2;
  while (all[end]?.includes('|')) end += 1;
  return [head, ...all.slice(at + 2, end)];
}

/** @param line of a table */
function cellsOf(line: string) {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function inlineOf(line: string): Inline[] {
  if (line.length > LINE_MAX) return [{ kind: 'text', text: line }];
  const made: Inline[] = [];
  let from = 0;
  for (const found of line.matchAll(SPAN)) {
    if (found.index > from) made.push({ kind: 'text', text: line.slice(from, found.index) });
    from = found.index + found[0].length;
    const [whole, code, strong, strong2, em, picture, text, href = ''] = found;
    if (code !== undefined) made.push({ kind: 'code', text: code.slice(1, -1) });
    else if (strong !== undefined || strong2 !== undefined) {
      made.push({ kind: 'strong', text: strong ?? strong2 ?? '' });
    } else if (em !== undefined) made.push({ kind: 'em', text: em });
    else if (picture !== undefined) made.push({ kind: 'text', text: `[picture: ${picture}]` });
    else if (text !== undefined && SAFE_LINK.test(href)) made.push({ kind: 'link', text, href });
    else made.push({ kind: 'text', text: whole });
  }
  if (from < line.length) made.push({ kind: 'text', text: line.slice(from) });
  return made;
}
