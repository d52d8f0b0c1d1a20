/** The five entities that XML has without a document type. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

const CODE_POINT_MAX = 0x10ffff;

/**
 * Decodes `&amp;` and its like, `&#38;` and `&#x26;`. Control characters are accepted as
 * references, though XML 1.0 forbids them: keys may hold them, and clients write them so.
 *
 * @throws Error for any other reference, and for `&` that begins none
 */
export function decodeReferences(text: string): string {
  let at = text.indexOf('&');
  if (at === -1) return text;
  let decoded = '';
  let from = 0;
  while (at !== -1) {
    const end = text.indexOf(';', at);
    const character = end === -1 ? undefined : decodeReference(text.slice(at + 1, end));
    if (character === undefined) throw new Error('a reference that XML does not define');
    decoded += text.slice(from, at) + character;
    from = end + 1;
    at = text.indexOf('&', from);
  }
  return decoded + text.slice(from);
}

function decodeReference(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES.get(name);
  const hexadecimal = name.charAt(1) === 'x';
  const digits = name.slice(hexadecimal ? 2 : 1);
  if (!isNumber(digits, hexadecimal)) return undefined;
  const code = Number.parseInt(digits, hexadecimal ? 16 : 10);
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code === 0 || surrogate || code > CODE_POINT_MAX) return undefined;
  return String.fromCodePoint(code);
}

/** Whether the digits are a number of at most eight digits: more cannot be a character. */
function isNumber(digits: string, hexadecimal: boolean): boolean {
  if (digits === '' || digits.length > 8) return false;
  for (let i = 0; i < digits.length; i++) {
    const code = digits.charCodeAt(i);
    const decimal = code >= 0x30 && code <= 0x39;
    const letter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x66;
    if (!decimal && !(hexadecimal && letter)) return false;
  }
  return true;
}
