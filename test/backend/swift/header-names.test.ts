import { expect } from 'chai';
import fc from 'fast-check';
import { decodeHeaderName, encodeHeaderName } from '../../../src/backend/swift/header-codec.js';

/** A valid name of a header: RFC 9110 section 5.1. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

describe('swift: header names', () => {
  const examples: readonly (readonly [string, string])[] = [
    ['mtime', 'mtime'],
    ['s3-storage-class', 's3-storage-class'],
    ["all!#$&'*+.^`|~-", "all!#$&'*+.^`|~-"],
    // As Swift's s3api has it, once the filter has decoded it.
    ['x_y', 'x%3d5fy'],
    ['größe', 'gr%c3%b6%c3%9fe'],
    ['100%', '100%25'],
  ];
  for (const [name, encoded] of examples) {
    it(`writes ${name} as ${encoded}`, () => {
      expect(encodeHeaderName(name)).to.equal(encoded);
      expect(decodeHeaderName(encoded)).to.equal(name);
    });
  }

  it('come back whatever they are, in whatever case Swift gives them', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.toLowerCase());
    fc.assert(
      fc.property(name, (text) => {
        const encoded = encodeHeaderName(text);
        expect(encoded).to.match(TOKEN);
        expect(decodeHeaderName(titled(encoded).toLowerCase())).to.equal(text);
      }),
    );
  });

  it('are read as they are when they are not percent-encoded', () => {
    for (const name of ['a%', '%zz', '%ff', 'a%c3']) expect(decodeHeaderName(name)).to.equal(name);
  });
});

/** The way of Python's str.title. */
function titled(text: string): string {
  return text.replaceAll(/[a-z]+/gi, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}
