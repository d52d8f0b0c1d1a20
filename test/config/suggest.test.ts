import { expect } from 'chai';
import { suggest } from '../../src/config/suggest.js';

describe('config: did you mean', () => {
  const known = ['drain_delay_ms', 'drain_timeout_ms', 'listeners', 'region'];
  for (const [given, meant] of [
    ['listener', 'listeners'],
    ['lisetners', 'listeners'],
    ['drain_timeout', 'drain_timeout_ms'],
    ['regoin', 'region'],
    ['drainDelayMs', 'drain_delay_ms'],
    ['colour', undefined],
    ['', undefined],
  ] as const) {
    it(`${given || 'nothing'} → ${meant ?? 'nothing'}`, () => {
      expect(suggest(given, known)).to.equal(meant);
    });
  }
});
