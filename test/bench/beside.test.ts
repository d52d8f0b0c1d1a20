import { expect } from 'chai';
import { loadBeside } from '../../bench/load/session.js';

const LOAD = { operations: 0, seconds: 0, errors: 0, problems: [], latency: '', cpuMs: 1 };

describe('a load beside the one that is measured', () => {
  it('counts by its errors, its CPU and what it moved', () => {
    const measured = { ...LOAD, operations: 10, seconds: 2, errors: 1, problems: ['a'] };
    const other = { ...LOAD, operations: 99, seconds: 3, errors: 2, problems: ['b'], cpuMs: 7 };
    expect(loadBeside(measured, other, 1000)).to.deep.equal({
      ...measured,
      errors: 3,
      problems: ['a', 'b'],
      cpuMs: 7,
      besideBytesPerS: 33_000,
    });
  });

  it('gives a process that measures nothing a time to divide by', () => {
    expect(loadBeside(LOAD, { ...LOAD, operations: 99, seconds: 3 }, 1)).to.include({
      operations: 0,
      seconds: 3,
    });
  });
});
