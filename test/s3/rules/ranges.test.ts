import { expect } from 'chai';
import { contentRange, invalidRange, parseRange } from '../../../src/s3/rules/ranges.js';

const RANGES: readonly (readonly [value: string, range: object | undefined])[] = [
  ['bytes=0-0', { first: 0, last: 0 }],
  ['bytes=5-9', { first: 5, last: 9 }],
  ['bytes=5-', { first: 5 }],
  ['bytes=-5', { suffix: 5 }],
  ['bytes=-0', { suffix: 0 }],
  ['bytes=007-008', { first: 7, last: 8 }],
  ['bytes=0-99999999999999999999', { first: 0, last: Number.MAX_SAFE_INTEGER }],
  // Ignored: the whole object is sent.
  ['bytes=9-5', undefined],
  ['bytes=0-1,3-4', undefined],
  ['bytes=0-1, 3-', undefined],
  ['bytes=-', undefined],
  ['bytes=', undefined],
  ['bytes=5', undefined],
  ['bytes=a-b', undefined],
  ['bytes=1-b', undefined],
  ['bytes=--1', undefined],
  ['bytes=1-2-3', undefined],
  ['bytes= 1-2', undefined],
  ['bytes=1-2 ', undefined],
  ['bytes=+1-2', undefined],
  ['bytes=1.5-2', undefined],
  ['items=0-1', undefined],
  ['0-1', undefined],
  ['', undefined],
];

describe('s3 rules: ranges', () => {
  for (const [value, range] of RANGES) {
    it(`${JSON.stringify(value)} is ${JSON.stringify(range)}`, () => {
      expect(parseRange(value)).to.deep.equal(range);
    });
  }

  it('has none without the header', () => {
    expect(parseRange(undefined)).to.equal(undefined);
  });

  it('describes what is sent', () => {
    expect(contentRange({ start: 0, end: 4 }, 10)).to.equal('bytes 0-4/10');
  });

  it('answers an unsatisfiable range with the size', () => {
    const error = invalidRange('bytes=10-', 10);
    expect(error.code).to.equal('InvalidRange');
    expect(error.details).to.deep.equal({ RangeRequested: 'bytes=10-', ActualObjectSize: '10' });
    expect(error.headers).to.deep.equal([['Content-Range', 'bytes */10']]);
  });
});
