import { expect } from 'chai';
import fc from 'fast-check';
import { PatternError } from '../../../console/surfaces/files/pattern-parser.js';
import { patternMatcher } from '../../../console/surfaces/files/pattern.js';

describe('console search patterns', () => {
  it('find what JavaScript finds, for patterns of every form', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '(a|b)', '(?:ab)', '(a|)');
    const repeat = fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}', '{1,}', '{0}');
    const piece = fc.tuple(atom, repeat).map(([one, times]) => one + times);
    const sequence = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
    const pattern = fc
      .tuple(fc.constantFrom('', '^'), sequence, sequence, fc.constantFrom('', '$'))
      .map(([start, one, two, end]) => `${start}${one}|${two}${end}`);
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', '1', '/'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (source, given) => {
        const expected = new RegExp(source, 'isu').test(given);
        expect(patternMatcher(source)(given), `${source} on ${given}`).to.equal(expected);
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  it('take case and characters of more than one unit as people do', () => {
    expect(patternMatcher('^Ü.☃$')('ü😀☃')).to.equal(true);
    expect(patternMatcher('[A-C]+x')('ZabcX')).to.equal(true);
    expect(patternMatcher('a\\.txt$')('A.TXT')).to.equal(true);
    expect(patternMatcher('a\\.txt$')('aXtxt')).to.equal(false);
  });

  it('never take more steps than text and pattern are long', () => {
    const steps = patternMatcher('(a*)*(a*)*(a|a)*$');
    // A matcher that goes back would not end here before the sun does.
    expect(steps(`${'a'.repeat(1000)}b`)).to.equal(true);
    expect(patternMatcher('^(a|a)*$')(`${'a'.repeat(1000)}b`)).to.equal(false);
  });

  it('say what is wrong with a pattern', () => {
    const wrong = [
      '(',
      ')',
      '[',
      'a**',
      '*',
      '\\',
      '\\q',
      'a{3,2}',
      'a{x}',
      'a{999}',
      '(?=a)',
      '[b-a]',
      '((',
    ];
    for (const source of [...wrong, '('.repeat(60), '(a{100}){100}']) {
      expect(() => patternMatcher(source), source).to.throw(PatternError);
    }
  });
});
