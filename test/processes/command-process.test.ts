import { expect } from 'chai';
import { withCauses } from '../../src/processes/command-process.js';

describe('processes: what commands say of a failure', () => {
  it('has its causes, each once', () => {
    const disk = new Error('the disk is gone');
    const index = new Error('an index cannot be read', { cause: disk });
    const told = new Error('We encountered an internal error.', { cause: index });
    expect(withCauses(told)).to.equal(
      'We encountered an internal error.: an index cannot be read: the disk is gone',
    );
    const wrapped = new Error('Swift did not answer: refused', { cause: new Error('refused') });
    expect(withCauses(wrapped)).to.equal('Swift did not answer: refused');
  });

  it('ends, also of what is no error or causes itself', () => {
    const one = new Error('one');
    const two = new Error('two', { cause: one });
    one.cause = two;
    expect(withCauses(two).split(': ')).to.have.length(8);
    expect(withCauses({ code: 7 })).to.equal('{"code":7}');
  });
});
