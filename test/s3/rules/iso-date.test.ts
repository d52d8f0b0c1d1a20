import { expect } from 'chai';
import fc from 'fast-check';
import { parseIsoDate } from '../../../src/s3/rules/iso-date.js';

const MIDNIGHT = Date.UTC(2026, 1, 28);

const DATES: readonly (readonly [text: string, ms: number | undefined])[] = [
  ['2026-02-28', MIDNIGHT],
  ['2026-02-28T00:00:00Z', MIDNIGHT],
  ['2026-02-28T00:00:00.000Z', MIDNIGHT],
  ['2026-02-28T00:00:00', MIDNIGHT],
  ['2026-02-28T00:00:00.5Z', MIDNIGHT + 500],
  ['2026-02-28T00:00:00.123456789Z', MIDNIGHT + 123],
  ['2026-02-28T02:00:00+02:00', MIDNIGHT],
  ['2026-02-27T18:30:00-05:30', MIDNIGHT],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['0001-01-01', new Date('0001-01-01').getTime()],
  ['2026-02-29', undefined],
  ['2026-13-01', undefined],
  ['2026-00-01', undefined],
  ['2026-01-00', undefined],
  ['2026-01-01T24:00:00Z', undefined],
  ['2026-01-01T00:60:00Z', undefined],
  ['2026-01-01T00:00:60Z', undefined],
  ['2026-01-01T00:00:00+15:00', undefined],
  ['2026-01-01T00:00:00+01:60', undefined],
  ['2026-01-01T00:00:00 Z', undefined],
  ['2026-01-01 00:00:00Z', undefined],
  ['2026-01-01T00:00Z', undefined],
  ['2026-01-01Z', undefined],
  ['20260101', undefined],
  ['26-01-01', undefined],
  ['Fri, 01 Jan 2016 00:00:00 GMT', undefined],
  ['1451606400', undefined],
  ['', undefined],
];

describe('s3 rules: ISO dates', () => {
  for (const [text, ms] of DATES) {
    it(`reads ${JSON.stringify(text)} as ${String(ms)}`, () => {
      expect(parseIsoDate(text)).to.equal(ms);
    });
  }

  it('reads what the platform writes', () => {
    const dates = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(dates, (ms) => {
        expect(parseIsoDate(new Date(ms).toISOString())).to.equal(ms);
      }),
    );
  });
});
