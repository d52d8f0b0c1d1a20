import { expect } from 'chai';
import fc from 'fast-check';
import { formatHttpDate, formatIsoDate, parseHttpDate } from '../../../src/s3/rules/dates.js';

/** RFC 9110 section 5.6.7 writes one moment in three ways. */
const MOMENT = Date.UTC(1994, 10, 6, 8, 49, 37);

const DATES: readonly (readonly [text: string, ms: number | undefined])[] = [
  ['Sun, 06 Nov 1994 08:49:37 GMT', MOMENT],
  ['Sunday, 06-Nov-94 08:49:37 GMT', MOMENT],
  ['Sun Nov  6 08:49:37 1994', MOMENT],
  ['Sun Nov 16 08:49:37 1994', MOMENT + 10 * 86_400_000],
  ['Wednesday, 01-Jan-25 00:00:00 GMT', Date.UTC(2025, 0, 1)],
  ['Thu, 29 Feb 2024 00:00:00 GMT', Date.UTC(2024, 1, 29)],
  ['Sat, 31 Dec 2016 23:59:60 GMT', Date.UTC(2017, 0, 1)],
  ['Wed, 29 Feb 2023 00:00:00 GMT', undefined],
  ['Sun, 31 Jun 2024 00:00:00 GMT', undefined],
  ['Sun, 06 Nov 1994 24:00:00 GMT', undefined],
  ['Sun, 06 Nov 1994 08:60:37 GMT', undefined],
  ['Sun, 06 Nov 1994 08:49:37', undefined],
  ['Sun, 06 Nov 1994 08:49:37 CET', undefined],
  ['Sun, 6 Nov 1994 08:49:37 GMT', undefined],
  ['Son, 06 Nov 1994 08:49:37 GMT', undefined],
  ['Sun, 06 Foo 1994 08:49:37 GMT', undefined],
  ['Sun, 0x Nov 1994 08:49:37 GMT', undefined],
  ['1994-11-06T08:49:37.000Z', undefined],
  ['784111777', undefined],
  ['yesterday', undefined],
  ['', undefined],
  [',', undefined],
];

describe('s3 rules: dates', () => {
  for (const [text, ms] of DATES) {
    it(`reads ${JSON.stringify(text)} as ${String(ms)}`, () => {
      expect(parseHttpDate(text)).to.equal(ms);
    });
  }

  const moment = fc.integer({ min: 0, max: 253_402_300_799_999 });

  it('formats as the platform does, cut to seconds', () => {
    fc.assert(
      fc.property(moment, (ms) => {
        const seconds = new Date(Math.floor(ms / 1000) * 1000);
        expect(formatHttpDate(ms)).to.equal(seconds.toUTCString());
        expect(formatIsoDate(ms)).to.equal(seconds.toISOString());
      }),
    );
  });

  it('reads back what it formats', () => {
    fc.assert(
      fc.property(moment, (ms) => {
        expect(parseHttpDate(formatHttpDate(ms))).to.equal(Math.floor(ms / 1000) * 1000);
      }),
    );
  });

  it('remembers one second without holding on to it', () => {
    expect(formatHttpDate(1000)).to.equal(formatHttpDate(1999));
    expect(formatHttpDate(2000)).not.to.equal(formatHttpDate(1999));
  });
});
