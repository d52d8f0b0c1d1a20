import { expect } from 'chai';
import type { ClockState } from '../../../../src/clock/reading.js';
import {
  retentionByDefault,
  type ObjectLockConfiguration,
} from '../../../../src/s3/rules/object-lock/configuration.js';
import { locksOfNewVersion } from '../../../../src/s3/rules/object-lock/new-version.js';
import { expectS3Error, headers } from '../../support.js';

const NOW = Date.UTC(2026, 0, 1, 0, 0, 0, 1);

const WITHOUT_DEFAULT: ObjectLockConfiguration = {};
const GOVERNANCE_DAY: ObjectLockConfiguration = {
  defaultRetention: { mode: 'GOVERNANCE', period: { days: 1 } },
};
const COMPLIANCE_YEAR: ObjectLockConfiguration = {
  defaultRetention: { mode: 'COMPLIANCE', period: { years: 1 } },
};

const EXPLICIT = {
  'x-amz-object-lock-mode': 'GOVERNANCE',
  'x-amz-object-lock-retain-until-date': '2026-01-01T12:00:00Z',
};
const EXPLICIT_COMPLIANCE = { ...EXPLICIT, 'x-amz-object-lock-mode': 'COMPLIANCE' };
const HOLD = { 'x-amz-object-lock-legal-hold': 'ON' };
const NO_HOLD = { 'x-amz-object-lock-legal-hold': 'OFF' };

function locks(
  given: Readonly<Record<string, string>>,
  configuration: ObjectLockConfiguration | undefined,
  clock: ClockState = 'unchecked',
) {
  return locksOfNewVersion({ headers: headers(given), configuration, now: NOW, clock });
}

function retained(text: string) {
  return { 's3-object-lock-retention': text };
}

describe('s3 rules: locks of a new version', () => {
  for (const [what, given, configuration, stored] of [
    ['nothing asked for, no locks', {}, undefined, {}],
    ['nothing asked for', {}, WITHOUT_DEFAULT, {}],
    ['a retention', EXPLICIT, WITHOUT_DEFAULT, retained('GOVERNANCE;2026-01-01T12:00:00.000Z')],
    ['a legal hold', HOLD, WITHOUT_DEFAULT, { 's3-object-lock-legal-hold': 'ON' }],
    ['default retention', {}, GOVERNANCE_DAY, retained('GOVERNANCE;2026-01-02T00:00:01.000Z')],
    [
      'default retention in years',
      {},
      COMPLIANCE_YEAR,
      retained('COMPLIANCE;2027-01-01T00:00:01.000Z'),
    ],
    [
      'a retention wins over the default, also a lesser one',
      EXPLICIT,
      COMPLIANCE_YEAR,
      retained('GOVERNANCE;2026-01-01T12:00:00.000Z'),
    ],
    [
      'a legal hold leaves the default',
      NO_HOLD,
      GOVERNANCE_DAY,
      { ...retained('GOVERNANCE;2026-01-02T00:00:01.000Z'), 's3-object-lock-legal-hold': 'OFF' },
    ],
  ] as const) {
    it(what, () => {
      expect(locks(given, configuration)).to.deep.equal(stored);
    });
  }

  for (const given of [EXPLICIT, HOLD, NO_HOLD]) {
    it(`are refused in a bucket without locks: ${Object.keys(given).join()}`, () => {
      const { message } = expectS3Error(() => locks(given, undefined), 'InvalidRequest');
      expect(message).to.equal('Bucket is missing Object Lock Configuration');
    });
  }

  it('are refused for their own mistakes before the bucket is looked at', () => {
    const given = { 'x-amz-object-lock-mode': 'GOVERNANCE' };
    expectS3Error(() => locks(given, undefined), 'InvalidArgument');
  });

  for (const [what, given, configuration] of [
    ['asked for', EXPLICIT_COMPLIANCE, WITHOUT_DEFAULT],
    ['by default', {}, COMPLIANCE_YEAR],
  ] as const) {
    it(`COMPLIANCE ${what} needs a clock that is right`, () => {
      expectS3Error(() => locks(given, configuration, 'unhealthy'), 'AccessDenied');
      expect(locks(given, configuration, 'healthy')).to.have.property('s3-object-lock-retention');
    });
  }

  it('GOVERNANCE does not', () => {
    expect(locks(EXPLICIT, COMPLIANCE_YEAR, 'unhealthy')).to.have.property(
      's3-object-lock-retention',
    );
  });
});

describe('s3 rules: default retention', () => {
  for (const [period, created, until] of [
    [{ days: 1 }, '2024-02-28T12:00:00.000Z', '2024-02-29T12:00:00.000Z'],
    [{ days: 365 }, '2024-01-01T00:00:00.000Z', '2024-12-31T00:00:00.000Z'],
    [{ days: 1 }, '2026-01-01T00:00:00.001Z', '2026-01-02T00:00:01.000Z'],
    // Years are those of the calendar: never less than 365 days.
    [{ years: 1 }, '2024-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z'],
    [{ years: 1 }, '2024-02-29T00:00:00.000Z', '2025-03-01T00:00:00.000Z'],
    [{ years: 100 }, '2026-06-01T00:00:00.000Z', '2126-06-01T00:00:00.000Z'],
    [{ days: 36_500 }, '2026-06-01T00:00:00.000Z', '2126-05-08T00:00:00.000Z'],
  ] as const) {
    it(`of ${JSON.stringify(period)} from ${created}`, () => {
      const retention = retentionByDefault({ mode: 'GOVERNANCE', period }, Date.parse(created));
      expect(new Date(retention.retainUntil).toISOString()).to.equal(until);
    });
  }
});
