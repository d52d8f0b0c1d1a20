import { expect } from 'chai';
import fc from 'fast-check';
import { compareUtf8 } from '../../../src/s3/rules/byte-order.js';

describe('s3 rules: byte order', () => {
  it('is that of the UTF-8', () => {
    const text = fc.string({ unit: 'binary', maxLength: 6 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(compareUtf8(a, b))).to.equal(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it('puts surrogate pairs behind all else', () => {
    const sorted = [
      '',
      'a',
      'a\u0000',
      'b',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '\u{10000}',
      '\u{10ffff}',
    ];
    expect([...sorted].reverse().sort(compareUtf8)).to.deep.equal(sorted);
  });
});
