import fc from 'fast-check';

/** eventlet's, which has a line's end in it too. */
export const HEADER_LINE_BYTES_MAX = 8192;

/** Any text that UTF-8 can say. */
export function wellFormed(): fc.Arbitrary<string> {
  const unit = fc.oneof(
    fc.constantFrom('a', ' ', '%', '+', ';', '"', '\r\n', '\t', '\u0000', '\u007f', 'é', '😀'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  return fc.array(unit, { maxLength: 30 }).map((units) => units.join(''));
}

/**
 * Headers as they come back from Swift: names in lower case, values without blanks at their ends.
 * @throws Error for what could not be sent
 */
export function throughSwift(headers: Readonly<Record<string, string>>): Map<string, string> {
  const passed = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) throw new Error(`no name: ${name}`);
    // oxlint-disable-next-line no-control-regex -- they are what a header must not have
    if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) throw new Error(`no value: ${value}`);
    // A proxy knows no case, and no other `_` than `-`.
    passed.set(name.toLowerCase().replaceAll('_', '-'), value.replace(/^[ \t]+|[ \t]+$/g, ''));
  }
  return passed;
}
