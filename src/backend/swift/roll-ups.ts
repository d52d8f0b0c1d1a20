/** Where a listing goes on; names are compared in the byte order of their UTF-8. */

const LAST_CHARACTER = '\u{10ffff}';
const LAST_CHARACTER_BYTES = 4;

/** What stands for all names that go on behind the first delimiter after the prefix. */
export function rollUpOf(name: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !name.startsWith(prefix)) return undefined;
  const at = name.indexOf(delimiter, prefix.length);
  return at === -1 ? undefined : name.slice(0, at + delimiter.length);
}

/**
 * Behind every name that begins with the prefix, and before every other name that is behind these.
 * @param nameBytesMax longest name there can be, which this is longer than
 */
export function behindPrefix(prefix: string, nameBytesMax: number): string {
  const left = Math.max(0, nameBytesMax - Buffer.byteLength(prefix));
  return prefix + LAST_CHARACTER.repeat(Math.floor(left / LAST_CHARACTER_BYTES) + 1);
}

/** Before every name that begins with the prefix, and behind every other name that is before these. */
export function beforePrefix(prefix: string, nameBytesMax: number): string {
  const last = prefix.codePointAt(lastCharacterAt(prefix)) ?? 0;
  if (last === 0) return prefix.slice(0, -1);
  const former = String.fromCodePoint(last === FIRST_ABOVE_SURROGATES ? SURROGATES - 1 : last - 1);
  return behindPrefix(prefix.slice(0, lastCharacterAt(prefix)) + former, nameBytesMax);
}

const SURROGATES = 0xd800;
const FIRST_ABOVE_SURROGATES = 0xe000;

function lastCharacterAt(text: string): number {
  return text.length - (/[\u{10000}-\u{10ffff}]$/u.test(text) ? 2 : 1);
}

/**
 * Swift looks for the end of a prefix, and of a roll-up, by counting its last character up by one,
 * and fails with 500 where there is no next one (swift/container/backend.py).
 */
export function hasNext(text: string): boolean {
  return !/[\ud7ff\u{10ffff}]$/u.test(text);
}
