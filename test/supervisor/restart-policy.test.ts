import { expect } from 'chai';
import { RestartPolicy } from '../../supervisor/restart-policy.js';

const LIMITS = {
  restartBackoffMsMin: 100,
  restartBackoffMsMax: 1000,
  restartLimit: 5,
  restartWindowMs: 60_000,
};

describe('supervisor: restart policy', () => {
  it('waits twice as long each time, up to the maximum, and then gives up', () => {
    const policy = new RestartPolicy(LIMITS);
    const waits = Array.from({ length: 7 }, (_, crash) => policy.next(crash));
    expect(waits).to.deep.equal([100, 200, 400, 800, 1000, 'give-up', 'give-up']);
  });

  it('forgives what has left the window', () => {
    const policy = new RestartPolicy(LIMITS);
    for (let crash = 0; crash < 5; crash++) policy.next(crash);
    expect(policy.next(59_999)).to.equal('give-up');
    expect(policy.next(60_004)).to.equal(100);
  });

  it('never restarts with a limit of 0', () => {
    expect(new RestartPolicy({ ...LIMITS, restartLimit: 0 }).next(0)).to.equal('give-up');
  });
});
