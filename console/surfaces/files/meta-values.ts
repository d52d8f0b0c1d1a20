import { decodeWords, encodeWords, isAscii } from '../../../src/lib/rfc2047.js';
import { headerText } from '../../swift/login.js';

/**
 * Values of metadata between people and headers. What is not ASCII is written in encoded words
 * (RFC 2047), as S3 clients read it: bytes beyond ASCII at an end of a header's value are cut by HTTP
 * libraries on the way, without a word. What is there is sent back as it is stored.
 */

type Meta = Readonly<Record<string, string>>;

/** Values as people read them. */
export function shownMeta(stored: Meta): Record<string, string> {
  return mapValues(stored, decodeWords);
}

/**
 * Makes the values to be stored: those that are shown unchanged stay as they are stored.
 * @param given - by their names, as people wrote them or left them
 * @param stored - by names in lower case
 * @throws HeaderTextError for line breaks and other control characters, which others would decode again
 */
export function changedMeta(given: Meta, stored: Meta): Record<string, string> {
  const before = new Map(Object.entries(stored));
  return mapValues(given, (value, name) => {
    const former = before.get(name.toLowerCase());
    if (former !== undefined && decodeWords(former) === value) return former;
    headerText(value);
    return encodeWords(value);
  });
}

const FIRST_AND_LAST = /^(.).*?(.)?$/su;

/** A value that arrives as it is sent: one that stands encoded nowhere may begin or end with any bytes. */
export function sentValue(stored: string): string {
  const [, first = '', last = ''] = FIRST_AND_LAST.exec(stored) ?? [];
  return isAscii(first + last) ? stored : encodeWords(stored);
}

function mapValues(meta: Meta, map: (value: string, name: string) => string) {
  // Made of entries: `__proto__` is a name like any other.
  return Object.fromEntries(Object.entries(meta).map(([name, value]) => [name, map(value, name)]));
}
