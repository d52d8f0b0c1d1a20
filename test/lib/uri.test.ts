import { expect } from 'chai';
import fc from 'fast-check';

import {
  decodeQueryComponent,
  decodeUriComponentStrict,
  encodeUriComponentAws,
  encodeUriPath,
  parseQuery,
} from '../../src/lib/uri.js';

describe('the URI codec', () => {
  const DECODED: readonly (readonly [raw: string, text: string | undefined])[] = [
    ['', ''],
    ['a/../b//c/./~', 'a/../b//c/./~'],
    ['a+b', 'a+b'],
    ['%2F%2f', '//'],
    ['%C3%A9', 'é'],
    ['%f0%9f%8e%89', '🎉'],
    ['%25%20%00', '% \0'],
    ["!'()*@:$,;=", "!'()*@:$,;="],
    ['%', undefined],
    ['%4', undefined],
    ['%zz', undefined],
    ['%u0041', undefined],
    ['%c0%80', undefined], // overlong NUL
    ['%e0%80%af', undefined], // overlong /
    ['%ed%a0%80', undefined], // a surrogate
    ['%f4%90%80%80', undefined], // beyond U+10FFFF
    ['%e9', undefined], // Latin-1
    ['%c3', undefined],
    ['%c3é', undefined],
    ['é', undefined],
    ['a b', undefined],
    ['a\tb', undefined],
    ['a\x7f', undefined],
  ];

  for (const [raw, text] of DECODED) {
    it(`decodes ${JSON.stringify(raw)} to ${JSON.stringify(text)}`, () => {
      expect(decodeUriComponentStrict(raw)).to.equal(text);
    });
  }

  it('takes + for a space in a query, and only there', () => {
    expect(decodeQueryComponent('a+b%2Bc')).to.equal('a b+c');
    expect(decodeUriComponentStrict('a+b%2Bc')).to.equal('a+b+c');
    expect(decodeQueryComponent('+%')).to.equal(undefined);
  });

  it('escapes as AWS signs', () => {
    expect(encodeUriPath("a/b c+d%e?f#g~h-i_j.k!l'm(n)o*p@é")).to.equal(
      'a/b%20c%2Bd%25e%3Ff%23g~h-i_j.k%21l%27m%28n%29o%2Ap%40%C3%A9',
    );
    expect(encodeUriComponentAws('a/b=c&d')).to.equal('a%2Fb%3Dc%26d');
    expect(encodeUriPath('a\ud800b')).to.equal('a%EF%BF%BDb');
    expect(encodeUriPath('\u0100')).to.equal('%C4%80');
  });

  it('round-trips all text, and the encoded form is canonical', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const encode of [encodeUriPath, encodeUriComponentAws]) {
          const raw = encode(text);
          const decoded = decodeUriComponentStrict(raw);
          expect(decoded).to.equal(text);
          expect(encode(decoded!)).to.equal(raw);
          expect(decodeQueryComponent(raw)).to.equal(text);
        }
      }),
    );
  });

  it('agrees with decodeURIComponent on printable ASCII', () => {
    const raw = fc.string({
      unit: fc.constantFrom('%', 'c', '3', 'a', '9', 'F', 'e', '8', '0', '/', '+', 'Z'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(raw, (text) => {
        let expected: string | undefined;
        try {
          expected = decodeURIComponent(text);
        } catch {
          expected = undefined;
        }
        expect(decodeUriComponentStrict(text)).to.equal(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('parseQuery', () => {
  it('keeps order, repeats, raw forms, and tells no value from an empty one', () => {
    expect(parseQuery('acl&prefix=a%2fb&x=&x=1=2&&=v&a+b')).to.deep.equal([
      { name: 'acl', value: undefined, rawName: 'acl', rawValue: undefined },
      { name: 'prefix', value: 'a/b', rawName: 'prefix', rawValue: 'a%2fb' },
      { name: 'x', value: '', rawName: 'x', rawValue: '' },
      { name: 'x', value: '1=2', rawName: 'x', rawValue: '1=2' },
      { name: '', value: 'v', rawName: '', rawValue: 'v' },
      { name: 'a b', value: undefined, rawName: 'a+b', rawValue: undefined },
    ]);
  });

  it('is the same empty list for every empty query', () => {
    expect(parseQuery('')).to.equal(parseQuery(''));
    expect(parseQuery('')).to.deep.equal([]);
    expect(parseQuery('&&')).to.deep.equal([]);
  });

  it('refuses what does not decode, in names and in values', () => {
    for (const query of ['%', 'a=%', 'a&b=%c3', 'a=é', 'a=b c', '%ff=1']) {
      expect(parseQuery(query), query).to.equal(undefined);
    }
  });

  it('round-trips parameters', () => {
    const pair = fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.array(pair), (pairs) => {
        const raw = pairs
          .map(([n, v]) => `${encodeUriComponentAws(n)}=${encodeUriComponentAws(v)}`)
          .join('&');
        expect(parseQuery(raw)?.map((p) => [p.name, p.value])).to.deep.equal(pairs);
      }),
    );
  });
});
