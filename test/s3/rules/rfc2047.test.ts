import { expect } from 'chai';
import fc from 'fast-check';
import { decodeWords, encodeWords } from '../../../src/lib/rfc2047.js';

const DECODED: readonly (readonly [text: string, decoded: string])[] = [
  ['plain', 'plain'],
  ['=?UTF-8?B?w6Q=?=', 'ä'],
  ['=?utf-8?b?w6Q=?=', 'ä'],
  ['=?UTF-8?B?w6Q?=', 'ä'],
  ['=?UTF-8?Q?=C3=A4_b?=', 'ä b'],
  ['=?ISO-8859-1?Q?=E4?=', 'ä'],
  ['=?US-ASCII?Q?a?=', 'a'],
  ['=?UTF-8?B?w6Q=?= =?UTF-8?B?w7Y=?=', 'äö'],
  ['a =?UTF-8?B?w6Q=?= b', 'a ä b'],
  ['=?UTF-8?B?w6Q=?= b =?UTF-8?B?w7Y=?=', 'ä b ö'],
  // No words: they stay.
  ['=?UTF-8?B?w6Q=', '=?UTF-8?B?w6Q='],
  ['=?UTF-8?X?w6Q=?=', '=?UTF-8?X?w6Q=?='],
  ['=?KOI8-R?B?w6Q=?=', '=?KOI8-R?B?w6Q=?='],
  ['=?UTF-8?B?!!?=', '=?UTF-8?B?!!?='],
  ['=?UTF-8?B?/w==?=', '=?UTF-8?B?/w==?='],
  ['=?UTF-8?Q?=Z?=', '=?UTF-8?Q?=Z?='],
  ['=??=', '=??='],
  ['=?', '=?'],
];

describe('s3 rules: encoded words', () => {
  for (const [text, decoded] of DECODED) {
    it(`decodes ${text}`, () => {
      expect(decodeWords(text)).to.equal(decoded);
    });
  }

  it('leaves ASCII as it is', () => {
    expect(encodeWords('a b\tc')).to.equal('a b\tc');
  });

  it('keeps every word within 75 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), (text) => {
        const encoded = encodeWords(`ä${text}`);
        for (const word of encoded.split(' ')) expect(word.length).to.be.at.most(75);
        expect(decodeWords(encoded)).to.equal(`ä${text}`);
      }),
    );
  });
});
