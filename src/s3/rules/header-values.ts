/**
 * The characters that a header may have. The edge fails a response with any others, so every value
 * that a client can choose passes here first and is refused as the client's mistake.
 */

export { isAscii } from '../../lib/rfc2047.js';

const TAB = 0x09;
const SPACE = 0x20;
const DELETE = 0x7f;
const REPLACEMENT_CHARACTER = '\uFFFD';

/** No control characters but tab: RFC 9110 section 5.5, where others can split a response. */
export function isHeaderValue(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code < SPACE && code !== TAB) || code === DELETE) return false;
  }
  return true;
}

/** Bytes that were no UTF-8 arrive as U+FFFD: what was meant is lost. */
export function isMangled(text: string): boolean {
  return text.includes(REPLACEMENT_CHARACTER);
}

const TOKEN_PUNCTUATION = "!#$%&'*+-.^_`|~";

/** The `token` of RFC 9110 section 5.6.2: only these can be names of headers. */
export function isHeaderName(text: string): boolean {
  for (const character of text) {
    const code = character.charCodeAt(0);
    const letter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    const digit = code >= 0x30 && code <= 0x39;
    if (!letter && !digit && !TOKEN_PUNCTUATION.includes(character)) return false;
  }
  return text !== '';
}
