import type { XmlBounds } from './bounds.js';

/**
 * A look at a document before a parser sees it: refuses what no S3 request has and what makes
 * parsers expensive or dangerous (document types and their entities, processing instructions, deep
 * nesting, more elements or attributes than the document can have). Everything else is left to the
 * parser's own checks.
 */

/** The longest tag of the S3 API (a grantee with its namespaces) has 200 characters. */
const TAG_LENGTH_MAX = 4096;

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const GREATER_THAN = 0x3e;

/** Whether the document may be parsed at all. */
export function isAcceptableXml(text: string, bounds: XmlBounds): boolean {
  return hasOnlyPlainMarkup(text, bounds) && hasOnlyXmlCharacters(text);
}

/** XML 1.0 section 2.2, except that NUL aside, controls may still come as references. */
function hasOnlyXmlCharacters(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < SPACE ? code !== LF && code !== CR && code !== TAB : code >= 0xfffe) return false;
  }
  return true;
}

function hasOnlyPlainMarkup(text: string, bounds: XmlBounds): boolean {
  const counted: Counted = { elements: 0, attributes: 0 };
  let depth = 0;
  let at = text.indexOf('<');
  if (!isBlank(text, 0, at)) return false;
  while (at !== -1) {
    const end = markupEnd(text, at, counted);
    if (end === -1) return false;
    const kind = text[at + 1];
    if (kind === '/') {
      depth--;
    } else if (kind !== '?') {
      counted.elements++;
      if (kind !== '!') {
        if (depth + 1 > bounds.depth) return false;
        if (text[end - 2] !== '/') depth++;
      }
    }
    if (depth < 0 || !isWithin(counted, bounds)) return false;
    at = text.indexOf('<', end);
    // The validator overlooks text behind an empty root.
    if (depth === 0 && !isBlank(text, end, at)) return false;
  }
  return true;
}

/** The counts so far; `elements` are comments and CDATA sections too. */
interface Counted {
  elements: number;
  attributes: number;
}

function isWithin({ elements, attributes }: Counted, bounds: XmlBounds): boolean {
  return elements <= bounds.elements && attributes <= bounds.attributes;
}

function isBlank(text: string, from: number, to: number): boolean {
  return text.slice(from, to === -1 ? text.length : to).trim() === '';
}

/** The index behind the markup that begins at `at`; -1 when it is not allowed or has no end. */
function markupEnd(text: string, at: number, counted: Counted): number {
  if (text[at + 1] === '!') {
    if (text.startsWith('<!--', at)) return endOf(text, '-->', at + 4);
    if (text.startsWith('<![CDATA[', at)) return endOf(text, ']]>', at + 9);
    return -1;
  }
  if (text[at + 1] === '?') {
    // Only the XML declaration is allowed, and only at the start.
    if (at !== 0 || !text.startsWith('<?xml ')) return -1;
    const end = endOf(text, '?>', 6);
    return end > TAG_LENGTH_MAX ? -1 : end;
  }
  return tagEnd(text, at + 1, counted);
}

/** `>` may stand within an attribute's quotes. Every attribute has quotes: the validator says so. */
function tagEnd(text: string, from: number, counted: Counted): number {
  const until = Math.min(text.length, from + TAG_LENGTH_MAX);
  let quote = 0;
  for (let i = from; i < until; i++) {
    const code = text.charCodeAt(i);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === GREATER_THAN) {
      return i + 1;
    } else if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      quote = code;
      counted.attributes++;
    }
  }
  return -1;
}

function endOf(text: string, terminator: string, from: number): number {
  const at = text.indexOf(terminator, from);
  return at === -1 ? -1 : at + terminator.length;
}
