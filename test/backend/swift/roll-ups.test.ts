import { expect } from 'chai';
import fc from 'fast-check';
import {
  beforePrefix,
  behindPrefix,
  hasNext,
  rollUpOf,
} from '../../../src/backend/swift/listings.js';

const NAME_BYTES_MAX = 16;

/** Where UTF-16 order and UTF-8 order differ, and the last characters before a gap. */
const character = fc.constantFrom('a', 'b', '/', '\u0001', 'é', '\ud7ff', '\ue000', '\u{10ffff}');
const name = fc
  .array(character, { minLength: 1, maxLength: 8 })
  .map((characters) => characters.join(''))
  .filter((text) => Buffer.byteLength(text) <= NAME_BYTES_MAX);

function isBefore(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;
}

describe('swift: roll-ups', () => {
  it('have ends between which there are all names with a prefix, and no others', () => {
    fc.assert(
      fc.property(name, name, (prefix, each) => {
        const isInside =
          isBefore(beforePrefix(prefix, NAME_BYTES_MAX), each) &&
          isBefore(each, behindPrefix(prefix, NAME_BYTES_MAX));
        expect(isInside).to.equal(each.startsWith(prefix));
      }),
      { numRuns: 2000 },
    );
  });

  it('end with the first delimiter behind the prefix', () => {
    expect(rollUpOf('a/b/c', '', '/')).to.equal('a/');
    expect(rollUpOf('a/b/c', 'a/', '/')).to.equal('a/b/');
    expect(rollUpOf('a/b', 'a/', '/')).to.equal(undefined);
    expect(rollUpOf('a--b', '', '--')).to.equal('a--');
    expect(rollUpOf('a/b', 'x', '/')).to.equal(undefined);
    expect(rollUpOf('a/b', '', '')).to.equal(undefined);
  });

  it('are left to Swift where it can count up their last character', () => {
    for (const text of ['', 'a', '/', '\ud7fe', '\ue000', '\u{10fffe}']) {
      expect(hasNext(text)).to.equal(true);
    }
    for (const text of ['\ud7ff', 'a\ud7ff', '\u{10ffff}', 'a\u{10ffff}']) {
      expect(hasNext(text)).to.equal(false);
    }
  });
});
