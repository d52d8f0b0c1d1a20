import { expect } from 'chai';
import { loadBeside } from '../../bench/load/session.js';

const LOAD = { operations: 0, seconds: 0, errors: 0, problems: [], latency: '', cpuMs: 1 };

describe('a load beside the one that is measured', () => {
  it('counts by its errors and its CPU only', () => {
    const measured = { ...LOAD, operations: 10, seconds: 2, errors: 1, problems: ['a'] };
    const other = { ...LOAD, operations: 99, seconds: 3, errors: 2, problems: ['b'], cpuMs: 7 };
    expect(loadBeside(measured, other)).to.deep.equal({
      ...measured,
      errors: 3,
      problems: ['a', 'b'],
      cpuMs: 7,
    });
  });

  it('gives a process that measures nothing a time to divide by', () => {
    expect(loadBeside(LOAD, { ...LOAD, operations: 99, seconds: 3 })).to.include({
      operations: 0,
      seconds: 3,
    });
  });
});
