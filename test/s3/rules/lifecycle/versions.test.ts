import { expect } from 'chai';
import {
  abortOf,
  deleteMarkerExpirationOf,
  dueNoncurrentAction,
  isDue,
} from '../../../../src/s3/rules/lifecycle/evaluate.js';
import { abortHeaders } from '../../../../src/s3/rules/lifecycle/headers.js';
import { CLASSES, CREATED, inDays, january, OBJECT, rules, shown, type Parts } from './support.js';

describe('s3 rules: lifecycle of versions', () => {
  const version = (newer: number) => ({
    ...OBJECT,
    // Its own age does not matter.
    lastModified: 0,
    noncurrentSince: CREATED,
    newerNoncurrentVersions: newer,
  });
  const expiring = (noncurrentDays: number, newerNoncurrentVersions?: number): Parts => ({
    noncurrentVersionExpiration: { noncurrentDays, newerNoncurrentVersions },
  });
  const moving = (noncurrentDays: number, newerNoncurrentVersions?: number): Parts => ({
    noncurrentVersionTransitions: [
      { noncurrentDays, newerNoncurrentVersions, storageClass: 'GLACIER' },
    ],
  });

  const TABLE: readonly (readonly [
    what: string,
    parts: readonly Parts[],
    newer: number,
    now: number,
    action: string,
  ])[] = [
    ['rules for current versions', [{ expiration: inDays(1) }], 0, january(31), 'nothing'],
    ['before the time', [expiring(3)], 0, january(19) - 1, 'nothing'],
    ['at the time', [expiring(3)], 0, january(19), 'expire by 0'],
    ['with versions to keep', [expiring(3, 2)], 1, january(31), 'nothing'],
    ['with enough newer ones', [expiring(3, 2)], 2, january(31), 'expire by 0'],
    ['with enough newer ones, too early', [expiring(3, 2)], 2, january(18), 'nothing'],
    ['one rule keeps, one does not', [expiring(1, 9), expiring(3)], 2, january(19), 'expire by 1'],
    ['a transition', [moving(3)], 0, january(19), 'to GLACIER by 0'],
    ['a transition that keeps some', [moving(3, 1)], 0, january(19), 'nothing'],
    ['both', [moving(3), expiring(3)], 0, january(19), 'expire by 1'],
  ];

  for (const [what, parts, newer, now, action] of TABLE) {
    it(`${what}: ${action}`, () => {
      const due = dueNoncurrentAction(rules(...parts), version(newer), now, CLASSES);
      expect(shown(due)).to.equal(action);
    });
  }

  it('takes delete markers with nothing behind them', () => {
    const marker = { key: 'logs/a', lastModified: CREATED, noncurrentVersions: 0 };
    const due = (parts: Parts, given = marker) => deleteMarkerExpirationOf(rules(parts), given)?.at;
    const gone: Parts = { expiration: { expiredObjectDeleteMarker: true } };
    expect(due(gone)).to.equal(CREATED);
    expect(due(gone, { ...marker, noncurrentVersions: 1 })).to.equal(undefined);
    expect(due({ expiration: { expiredObjectDeleteMarker: false } })).to.equal(undefined);
    expect(due({ expiration: inDays(3) })).to.equal(january(19));
    expect(due({ ...gone, filter: { prefix: 'x' } })).to.equal(undefined);
    expect(due({ abortDaysAfterInitiation: 1 })).to.equal(undefined);
    const tagged = { tags: [{ key: 'k', value: 'v' }] };
    expect(due({ expiration: inDays(3), filter: tagged })).to.equal(undefined);
  });
});

describe('s3 rules: lifecycle of uploads', () => {
  const upload = { key: 'logs/a', initiatedAt: CREATED };

  it('aborts by the earliest rule', () => {
    const given = rules(
      { abortDaysAfterInitiation: 7 },
      { abortDaysAfterInitiation: 3, filter: { prefix: 'logs/' } },
      { abortDaysAfterInitiation: 1, filter: { prefix: 'x' } },
      { abortDaysAfterInitiation: 1, enabled: false },
      { expiration: inDays(1) },
    );
    const abort = abortOf(given, upload);
    expect(abort).to.deep.equal({ ruleId: '1', at: january(19) });
    expect(isDue(abort, january(19) - 1)).to.be.false;
    expect(isDue(abort, january(19))).to.be.true;
    expect(abortHeaders(abort)).to.deep.equal([
      ['x-amz-abort-date', 'Sun, 19 Jan 2014 00:00:00 GMT'],
      ['x-amz-abort-rule-id', '1'],
    ]);
  });

  it('aborts nothing without a rule', () => {
    const abort = abortOf(rules({ expiration: inDays(1) }), upload);
    expect(abort).to.equal(undefined);
    expect(isDue(abort, Number.MAX_SAFE_INTEGER)).to.be.false;
    expect(abortHeaders(abort)).to.deep.equal([]);
  });
});
