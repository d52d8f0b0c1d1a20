/**
 * Text in XML. Keys may hold control characters that XML 1.0 cannot express, not even as
 * references. AWS writes them as references all the same, and its listing is malformed. Ours
 * declares itself XML 1.1 then, which can: parsers that know 1.1 read the exact key, others refuse
 * the page loudly, and none walks on from a false marker. `encoding-type=url` avoids all of it.
 *
 * References are decimal where XML 1.0 has the character, hexadecimal where only 1.1 has: that is
 * how {@link xmlDocument} knows. (A literal `&#x` in a key is written `&amp;#x`.)
 */

/** Both have the same length. */
export const DECLARATION_1_0 = '<?xml version="1.0" encoding="UTF-8"?>\n';
export const DECLARATION_1_1 = '<?xml version="1.1" encoding="UTF-8"?>\n';
export const REFERENCE_1_1 = '&#x';

/**
 * The replacement for what neither version can express: NUL, U+FFFE, U+FFFF and halves of surrogate
 * pairs.
 */
const REPLACEMENT = '\uFFFD';

const SPACE = 0x20;
export const ASCII_END = 0x80;
const C1_END = 0xa0;
const LINE_SEPARATOR = 0x2028;

/** ASCII characters that do not stand for themselves, by code. */
const ASCII_ESCAPES: readonly (string | undefined)[] = Array.from(
  { length: ASCII_END },
  (_, code) => escapeAscii(code),
);

/** The same as a table of bytes, which is read for each character of a listing. */
export const PLAIN_ASCII = Uint8Array.from(ASCII_ESCAPES, (escape) =>
  escape === undefined ? 1 : 0,
);

/** Whether a character stands for itself; `code` is below 0x80. */
export function isPlainAscii(code: number): boolean {
  return PLAIN_ASCII[code] === 1;
}

/** The root element as a whole document, with the declaration that its text needs. */
export function xmlDocument(root: string): string {
  return xmlDeclaration(root) + root;
}

/**
 * The first line of a document with this escaped text in it. It is for an answer that begins before
 * its root is known: the text of the root is known by then, or must fit XML 1.0.
 */
export function xmlDeclaration(escaped: string): string {
  return escaped.includes(REFERENCE_1_1) ? DECLARATION_1_1 : DECLARATION_1_0;
}

/** The text behind the declaration of an {@link xmlDocument}. */
export function xmlRoot(document: string): string {
  return document.slice(document.indexOf('\n') + 1);
}

/** Text as it stands in an element or an attribute. */
export function escapeXml(text: string): string {
  for (let i = 0; i < text.length; i++) {
    if (!isPlain(text.charCodeAt(i))) return escapeFrom(text, i);
  }
  return text;
}

/**
 * Like {@link escapeXml}, for documents that have to be XML 1.0 (SPEC.md 7.1): characters that 1.0
 * cannot express become U+FFFD. It is for text that programs do not process, as in errors.
 */
export function escapeXml10(text: string): string {
  const escaped = escapeXml(text);
  if (!escaped.includes(REFERENCE_1_1)) return escaped;
  return escaped.split(REFERENCE_1_1).reduce((done, rest) => {
    return done + REPLACEMENT + rest.slice(rest.indexOf(';') + 1);
  });
}

/** `<name>text</name>`. */
export function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

/** Like {@link element}; empty for undefined. */
export function optionalElement(name: string, text: string | undefined): string {
  return text === undefined ? '' : element(name, text);
}

function isPlain(code: number): boolean {
  if (code < ASCII_END) return isPlainAscii(code);
  return code >= C1_END && code !== LINE_SEPARATOR && code < 0xd800;
}

function escapeFrom(text: string, start: number): string {
  let escaped = text.slice(0, start);
  // Iterates by code points, so that surrogate pairs stay together and lone halves show.
  for (const character of text.slice(start)) {
    const code = character.codePointAt(0) ?? 0;
    if (isPlain(code)) escaped += character;
    else
      escaped +=
        code < ASCII_END ? (ASCII_ESCAPES[code] ?? '') : escapeBeyondAscii(code, character);
  }
  return escaped;
}

function escapeAscii(code: number): string | undefined {
  switch (String.fromCharCode(code)) {
    case '&':
      return '&amp;';
    case '<':
      return '&lt;';
    case '>':
      return '&gt;';
    case '"':
      return '&quot;';
    case '\0':
      return REPLACEMENT;
    // A parser turns bare ones into line feeds or spaces.
    case '\t':
    case '\n':
    case '\r':
    case '\u007f':
      return `&#${code};`;
    default:
      return code < SPACE ? `${REFERENCE_1_1}${code.toString(16)};` : undefined;
  }
}

/** XML 1.1 reads bare C1 controls as malformed or, like U+2028, as line feeds. */
function escapeBeyondAscii(code: number, character: string): string {
  if (code < C1_END || code === LINE_SEPARATOR) return `&#${code};`;
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  return surrogate || code === 0xfffe || code === 0xffff ? REPLACEMENT : character;
}
