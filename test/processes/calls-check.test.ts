import { expect } from 'chai';
import { callsCheck } from '../../src/processes/calls-check.js';

describe('check of the calls to the backend', () => {
  const check = (calls: number, causes: Record<string, number>) =>
    callsCheck({ calls, causes, failed: Object.values(causes).reduce((a, b) => a + b, 0) })[0];

  it('is not there where nothing was called', () => {
    expect(check(0, {})).to.equal(undefined);
  });

  const cases: [number, Record<string, number>, boolean, string][] = [
    [7, {}, true, 'none of 7 in the last minute failed'],
    [1000, { 401: 1 }, true, '1 % of 1000 in the last minute failed (401 1)'],
    [
      100,
      { 503: 5, timeout: 41 },
      true,
      '46 % of 100 in the last minute failed (timeout 41, 503 5)',
    ],
    [1000, { refused: 996 }, false, '99 % of 1000 in the last minute failed (refused 996)'],
    [20, { 503: 20 }, false, 'all of 20 in the last minute failed (503 20)'],
    [19, { 503: 19 }, true, 'all of 19 in the last minute failed (503 19)'],
  ];
  for (const [calls, causes, ok, detail] of cases) {
    it(detail, () => {
      expect(check(calls, causes)).to.deep.equal({ name: 'backend calls', ok, detail });
    });
  }
});
