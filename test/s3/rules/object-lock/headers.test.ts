import { expect } from 'chai';
import {
  parseBypassHeader,
  parseLockEnabledHeader,
  parseLockHeaders,
} from '../../../../src/s3/rules/object-lock/headers.js';
import { expectInvalidArgument, expectS3Error, headers } from '../../support.js';

const MODE = 'x-amz-object-lock-mode';
const UNTIL = 'x-amz-object-lock-retain-until-date';
const HOLD = 'x-amz-object-lock-legal-hold';

const NOW = Date.UTC(2026, 1, 28, 12, 0, 0, 500);

function parse(given: Readonly<Record<string, string>>) {
  return parseLockHeaders(headers(given), NOW);
}

/** Dates that are taken, and which moment is kept for them. */
const DATES: readonly (readonly [text: string, kept: string])[] = [
  ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.000Z'],
  ['2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z'],
  ['2030-01-01t00:00:00z', '2030-01-01T00:00:00.000Z'],
  ['2030-01-01T02:30:00+02:30', '2030-01-01T00:00:00.000Z'],
  ['2029-12-31T23:00:00-01:00', '2030-01-01T00:00:00.000Z'],
  // A part of a second is rounded up: nothing is protected for less than was asked for.
  ['2030-01-01T00:00:00.001Z', '2030-01-01T00:00:01.000Z'],
  ['2030-01-01T00:00:00.999999Z', '2030-01-01T00:00:01.000Z'],
  // The first and the last moment that there is.
  ['2026-02-28T12:00:00.501Z', '2026-02-28T12:00:01.000Z'],
  ['2126-02-28T12:00:00.500Z', '2126-02-28T12:00:01.000Z'],
];

const NOT_A_DATE = 'The retain until date must be provided in ISO 8601 format';
const PAST = 'The retain until date must be in the future!';
const TOO_FAR = 'The retain until date must be at most 100 years in the future';

const REFUSED_DATES: readonly (readonly [text: string, message: string])[] = [
  ['', NOT_A_DATE],
  ['tomorrow', NOT_A_DATE],
  ['2030-01-01', NOT_A_DATE],
  ['2030-01-01T00:00:00', NOT_A_DATE],
  ['2030-01-01T00:00Z', NOT_A_DATE],
  ['2030-01-01 00:00:00Z', NOT_A_DATE],
  ['2030-02-30T00:00:00Z', NOT_A_DATE],
  ['2030-01-01T24:00:00Z', NOT_A_DATE],
  ['20300101T000000Z', NOT_A_DATE],
  ['Tue, 01 Jan 2030 00:00:00 GMT', NOT_A_DATE],
  ['1893456000', NOT_A_DATE],
  ['2026-02-28T12:00:00.500Z', PAST],
  ['2020-01-01T00:00:00Z', PAST],
  ['0001-01-01T00:00:00Z', PAST],
  ['2126-02-28T12:00:00.501Z', TOO_FAR],
  ['9999-12-31T23:59:59Z', TOO_FAR],
];

describe('s3 rules: headers of Object Lock', () => {
  it('ask for nothing when there are none', () => {
    expect(parse({})).to.deep.equal({ retention: undefined, legalHold: undefined });
  });

  for (const [text, kept] of DATES) {
    it(`retain until ${text}`, () => {
      expect(parse({ [MODE]: 'GOVERNANCE', [UNTIL]: text }).retention).to.deep.equal({
        mode: 'GOVERNANCE',
        retainUntil: Date.parse(kept),
      });
    });
  }

  for (const [value, message] of REFUSED_DATES) {
    it(`refuse to retain until ${JSON.stringify(value)}`, () => {
      const given = { [MODE]: 'COMPLIANCE', [UNTIL]: value };
      const error = expectInvalidArgument(() => parse(given), UNTIL, value);
      expect(error.message).to.equal(message);
    });
  }

  for (const [given, missing] of [
    [{ [MODE]: 'GOVERNANCE' }, UNTIL],
    [{ [UNTIL]: '2030-01-01T00:00:00Z' }, MODE],
  ] as const) {
    it(`refuse a retention without ${missing}`, () => {
      const { message } = expectS3Error(() => parse(given), 'InvalidArgument', {
        ArgumentName: missing,
      });
      expect(message).to.equal(`${UNTIL} and ${MODE} must both be supplied`);
    });
  }

  for (const mode of ['governance', 'LEGAL', '']) {
    it(`refuse the mode ${JSON.stringify(mode)}`, () => {
      const given = { [MODE]: mode, [UNTIL]: '2030-01-01T00:00:00Z' };
      expectInvalidArgument(() => parse(given), MODE, mode);
    });
  }

  for (const hold of ['ON', 'OFF'] as const) {
    it(`set the legal hold ${hold}`, () => {
      expect(parse({ [HOLD]: hold }).legalHold).to.equal(hold);
    });
  }

  for (const hold of ['on', 'true', '']) {
    it(`refuse the legal hold ${JSON.stringify(hold)}`, () => {
      expectInvalidArgument(() => parse({ [HOLD]: hold }), HOLD, hold);
    });
  }

  for (const [name, read] of [
    ['x-amz-bypass-governance-retention', parseBypassHeader],
    ['x-amz-bucket-object-lock-enabled', parseLockEnabledHeader],
  ] as const) {
    it(`read ${name}`, () => {
      expect(read(headers({}))).to.equal(false);
      for (const value of ['true', 'True', 'TRUE']) {
        expect(read(headers({ [name]: value })), value).to.equal(true);
      }
      for (const value of ['false', 'False']) {
        expect(read(headers({ [name]: value })), value).to.equal(false);
      }
      for (const value of ['', '1', 'yes']) {
        expectInvalidArgument(() => read(headers({ [name]: value })), name, value);
      }
    });
  }
});
