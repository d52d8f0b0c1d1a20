/**
 * Encoded words (RFC 2047), as AWS uses them for user metadata that is not ASCII: decoded before
 * storing, encoded before returning. "Editing object metadata" in the Amazon S3 User Guide.
 */

/** RFC 2047 allows 75 characters; `=?UTF-8?B??=` takes 12, and base64 makes 60 of 45 bytes. */
const WORD_BYTES_MAX = 45;
/** Strict: bytes that are none of the charset leave the word as it is. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const CHARSETS: ReadonlyMap<string, (bytes: Buffer) => string> = new Map([
  ['utf-8', (bytes: Buffer) => utf8.decode(bytes)],
  ['us-ascii', (bytes: Buffer) => utf8.decode(bytes)],
  ['iso-8859-1', (bytes: Buffer) => bytes.toString('latin1')],
]);

const TAB = 0x09;
const SPACE = 0x20;
const DELETE = 0x7f;

/** Whether a text has only tab, space and visible ASCII, which every client reads the same way. */
export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code < SPACE && code !== TAB) || code >= DELETE) return false;
  }
  return true;
}

/** ASCII stays as it is; anything else becomes `=?UTF-8?B?…?=` words, cut between characters. */
export function encodeWords(text: string): string {
  if (isAscii(text)) return text;
  const words: string[] = [];
  let word = '';
  let bytes = 0;
  for (const character of text) {
    const size = Buffer.byteLength(character);
    if (bytes + size > WORD_BYTES_MAX) {
      words.push(encodeWord(word));
      word = '';
      bytes = 0;
    }
    word += character;
    bytes += size;
  }
  words.push(encodeWord(word));
  return words.join(' ');
}

/**
 * Decodes each encoded word in UTF-8, US-ASCII or ISO-8859-1; white space between two words is
 * dropped (RFC 2047 section 6.2). Text that is no well-formed word stays as it is.
 */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text;
  let decoded = '';
  let previousWasWord = false;
  for (const piece of splitAtWhiteSpace(text)) {
    const word = decodeWord(piece);
    if (word === undefined) {
      decoded += piece;
      previousWasWord &&= isWhiteSpace(piece);
      continue;
    }
    decoded = previousWasWord ? decoded.trimEnd() + word : decoded + word;
    previousWasWord = true;
  }
  return decoded;
}

function encodeWord(text: string): string {
  return `=?UTF-8?B?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

/** Words and the white space between them, in turn; joined, they are the text. */
function splitAtWhiteSpace(text: string): string[] {
  return text.split(/([ \t]+)/u).filter((piece) => piece !== '');
}

function isWhiteSpace(piece: string): boolean {
  return piece.trim() === '';
}

/** Undefined when it is not `=?charset?B|Q?text?=` with text that decodes. */
function decodeWord(piece: string): string | undefined {
  if (!piece.startsWith('=?') || !piece.endsWith('?=')) return undefined;
  const parts = piece.slice(2, -2).split('?');
  const [charset, encoding, text] = parts;
  if (parts.length !== 3 || charset === undefined || text === undefined) return undefined;
  const decode = CHARSETS.get(charset.toLowerCase());
  const bytes = decodeBytes(encoding, text);
  if (decode === undefined || bytes === undefined) return undefined;
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}

function decodeBytes(encoding: string | undefined, text: string): Buffer | undefined {
  switch (encoding) {
    case 'B':
    case 'b': {
      const bytes = Buffer.from(text, 'base64');
      // Node skips what is no base64: only what encodes back was.
      return sameBase64(bytes.toString('base64'), text) ? bytes : undefined;
    }
    case 'Q':
    case 'q':
      return decodeQuotedPrintable(text);
    default:
      return undefined;
  }
}

function sameBase64(encoded: string, given: string): boolean {
  return encoded === given || encoded.replaceAll('=', '') === given;
}

function decodeQuotedPrintable(text: string): Buffer | undefined {
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character !== '=') {
      bytes.push(character === '_' ? 0x20 : character.charCodeAt(0));
      continue;
    }
    const byte = Buffer.from(text.slice(i + 1, i + 3), 'hex');
    if (byte.length !== 1) return undefined;
    bytes.push(byte.readUInt8(0));
    i += 2;
  }
  return Buffer.from(bytes);
}
