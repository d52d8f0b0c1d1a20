import { expect } from 'chai';
import {
  parseSimulation,
  scenarioOf,
  simulate,
} from '../../../console/surfaces/lab/rings/ring-sim.js';
import { whatIf, type WhatIf } from '../../../console/surfaces/lab/rings/ring-changes.js';
import { describeWith, program } from '../../support/needs.js';
import { findProgram } from '../../support/programs.js';
import { builtRing } from './support.js';

const ring = builtRing({ partPower: 8, zones: 4, devicesPerZone: 4 });
const signal = new AbortController().signal;
const change: WhatIf = {
  changes: [
    { kind: 'set_weight', id: 3, weight: 200 },
    { kind: 'remove', id: 9 },
    { kind: 'add', region: 1, zone: 4, ip: 'fd00::4', port: 6200, device: 'd99', weight: 100 },
  ],
  overload: 0,
  seed: 7,
};

describe('the check of a change by another ring builder', () => {
  it('has ids as the program counts them, whatever gaps the ring has', () => {
    const gaps = {
      ...ring,
      devices: ring.devices.map((device) => (device?.id === 1 ? null : device)),
    };
    const { rounds } = scenarioOf(gaps, change);
    expect(rounds[0]).to.have.length(15);
    expect(rounds[0]?.[0]).to.deep.equal(['add', 'r1z1-10.0.1.1:6200/d0', 100]);
    expect(rounds[1]).to.deep.equal([
      ['set_weight', 2, 200],
      ['remove', 8],
      ['add', 'r1z4-[fd00::4]:6200/d99', 100],
    ]);
    const gone: WhatIf = { ...change, changes: [{ kind: 'remove', id: 1 }] };
    expect(() => scenarioOf(gaps, gone)).to.throw('Device 1 not found.');
  });

  it('understands what the program prints, and nothing else', () => {
    const line = (moved: number) =>
      `\tRebalance 1: moved ${moved} parts, balance is 2.500000, 0 removed devs\n`;
    expect(parseSimulation(`Round 1\n${line(768)}Round 2\n${line(10)}${line(3)}`)).to.deep.equal({
      ...{ moved: 13, balance_pct: 2.5, rebalances: 2 },
    });
    expect(parseSimulation(`Round 1\n${line(768)}`)).to.equal(undefined);
    expect(parseSimulation('hello')).to.equal(undefined);
  });
});

describeWith(
  [program('swift-ring-builder-analyzer')],
  "a change in Swift's own builder",
  function () {
    this.timeout(120_000);

    it('moves about as much as ours', async () => {
      const helper = { program: findProgram('swift-ring-builder-analyzer')!, signal };
      const theirs = await simulate(helper, scenarioOf(ring, change));
      const { moved } = whatIf(ring, change);
      expect(theirs.moved).to.be.within(0.5 * moved, 2 * moved);
      expect(theirs.rebalances).to.be.greaterThan(0);
    });

    it('that it does not take is refused', async () => {
      const helper = { program: findProgram('swift-ring-builder-analyzer')!, signal };
      const wrong = { ...scenarioOf(ring, change), replicas: 0 };
      const error = await simulate(helper, wrong).catch((caught: unknown) => caught);
      expect(error).to.have.property('code', 'unprocessable');
    });
  },
);
