/**
 * The order of keys: that of their UTF-8 bytes, which is that of code points. JavaScript compares
 * UTF-16 units, where the halves of surrogate pairs (U+D800 to U+DFFF, which stand for the highest
 * code points) come before U+E000 to U+FFFF.
 */

const SURROGATES = 0xd800;
const AFTER_SURROGATES = 0xe000;
const SURROGATE_COUNT = AFTER_SURROGATES - SURROGATES;

/** Negative, zero or positive, as sort functions want it. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Surrogates behind all other units. */
function rank(unit: number): number {
  if (unit < SURROGATES) return unit;
  return unit < AFTER_SURROGATES ? unit + 0x10000 : unit - SURROGATE_COUNT;
}
