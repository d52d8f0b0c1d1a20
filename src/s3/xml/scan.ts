/**
 * A look at a document before a parser sees it: refuses what no S3 request has and what makes
 * parsers expensive or dangerous (document types and their entities, processing instructions, deep
 * nesting, very many elements). Everything else is left to the parser's own checks.
 */

/** The deepest body of the S3 API (replication) has seven levels. */
const DEPTH_MAX = 16;
/** CompleteMultipartUpload with 10,000 parts of five children, and room to spare. */
const ELEMENTS_MAX = 100_000;

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;

/** Whether the document may be parsed at all. */
export function isAcceptableXml(text: string): boolean {
  return hasOnlyXmlCharacters(text) && hasOnlyPlainMarkup(text);
}

/** XML 1.0 section 2.2, except that NUL aside, controls may still come as references. */
function hasOnlyXmlCharacters(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < SPACE ? code !== LF && code !== CR && code !== TAB : code >= 0xfffe) return false;
  }
  return true;
}

function hasOnlyPlainMarkup(text: string): boolean {
  let depth = 0;
  let elements = 0;
  let at = text.indexOf('<');
  if (!isBlank(text, 0, at)) return false;
  while (at !== -1) {
    const end = markupEnd(text, at);
    if (end === -1) return false;
    if (text[at + 1] === '/') {
      depth--;
    } else if (text[at + 1] !== '!' && text[at + 1] !== '?') {
      elements++;
      if (text[end - 2] !== '/') depth++;
    }
    if (depth > DEPTH_MAX || elements > ELEMENTS_MAX) return false;
    at = text.indexOf('<', end);
    // The validator overlooks text behind an empty root.
    if (depth === 0 && !isBlank(text, end, at)) return false;
  }
  return true;
}

function isBlank(text: string, from: number, to: number): boolean {
  return text.slice(from, to === -1 ? text.length : to).trim() === '';
}

/** The index behind the markup that begins at `at`; -1 when it is not allowed or has no end. */
function markupEnd(text: string, at: number): number {
  if (text[at + 1] === '!') {
    if (text.startsWith('<!--', at)) return endOf(text, '-->', at + 4);
    if (text.startsWith('<![CDATA[', at)) return endOf(text, ']]>', at + 9);
    return -1;
  }
  if (text[at + 1] === '?') {
    // Only the declaration, and only where it belongs.
    return at === 0 && text.startsWith('<?xml ') ? endOf(text, '?>', 6) : -1;
  }
  return tagEnd(text, at + 1);
}

/** `>` may stand within an attribute's quotes. */
function tagEnd(text: string, from: number): number {
  let quote = '';
  for (let i = from; i < text.length; i++) {
    const character = text.charAt(i);
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') {
      return i + 1;
    } else if (character === '"' || character === "'") {
      quote = character;
    }
  }
  return -1;
}

function endOf(text: string, terminator: string, from: number): number {
  const at = text.indexOf(terminator, from);
  return at === -1 ? -1 : at + terminator.length;
}
