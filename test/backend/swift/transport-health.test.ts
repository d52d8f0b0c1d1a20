import { expect } from 'chai';
import { EndpointHealth } from '../../../src/backend/swift/net/endpoint.js';

const OPTIONS = { ejectAfter: 3, ejectMs: 1000, ejectMsMax: 4000 };

describe('EndpointHealth', () => {
  it('is ejected by so many failures in a row, and by no fewer', () => {
    const health = new EndpointHealth(OPTIONS);
    expect([1, 2].map((now) => health.failed(now))).to.deep.equal([false, false]);
    expect(health.answered()).to.equal(false);
    expect([3, 4, 5].map((now) => health.failed(now))).to.deep.equal([false, false, true]);
    expect(health.well).to.equal(false);
    expect(health.ejectedForMs).to.equal(1000);
  });

  it('is ejected for twice as long each time, up to a bound', () => {
    const health = new EndpointHealth(OPTIONS);
    for (let i = 0; i < 3; i++) health.failed(0);
    const lengths = [1, 2, 3].map((now) => {
      health.probeFailed(now);
      return health.ejectedForMs;
    });
    expect(lengths).to.deep.equal([2000, 4000, 4000]);
  });

  it('comes back on trial: one failure is enough', () => {
    const health = new EndpointHealth(OPTIONS);
    for (let i = 0; i < 3; i++) health.failed(0);
    health.probed();
    expect(health.well).to.equal(true);
    expect(health.failed(1)).to.equal(true);
    expect(health.ejectedForMs).to.equal(2000);
  });

  it('is trusted again after an answer', () => {
    const health = new EndpointHealth(OPTIONS);
    for (let i = 0; i < 3; i++) health.failed(0);
    expect(health.answered()).to.equal(true);
    expect(health.failed(1)).to.equal(false);
    expect(health.well).to.equal(true);
  });

  it('says when it was last tried in vain, so that another one is tried next', () => {
    const health = new EndpointHealth(OPTIONS);
    for (let i = 0; i < 3; i++) health.failed(7);
    expect(health.ejectedAt).to.equal(7);
    expect(health.failed(9)).to.equal(false);
    expect(health.ejectedAt).to.equal(9);
    expect(health.ejectedForMs).to.equal(1000);
  });
});
