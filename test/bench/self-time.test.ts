import { expect } from 'chai';
import { selfTimes } from '../../bench/profile/self-time.js';

function profile(samples: readonly number[]): string {
  const node = (id: number, functionName: string, url = '') => ({
    id,
    callFrame: { functionName, url, lineNumber: 9 },
  });
  return JSON.stringify({
    nodes: [
      node(1, '(program)'),
      node(2, 'get', 'file:///somewhere/dist/src/store.js'),
      node(3, '', 'file:///somewhere/node_modules/lmdb/read.js'),
      // The same function, called from elsewhere.
      node(4, 'get', 'file:///somewhere/dist/src/store.js'),
    ],
    samples,
    timeDeltas: samples.map(() => 1000),
  });
}

describe('bench: profiles', () => {
  it('sums up functions over call sites and processes; the rest of the CPU is native', () => {
    const found = selfTimes([profile([1, 2, 4, 1, 3]), profile([2, 1])], 10, 5);
    expect(found).to.deep.equal([
      { name: '(native code, kernel, other threads)', share: 0.6, ms: 6 },
      { name: 'get (src/store.js:10)', share: 0.3, ms: 3 },
      { name: '(anonymous) (lmdb/read.js:10)', share: 0.1, ms: 1 },
    ]);
  });

  it('shows the largest ones only', () => {
    expect(selfTimes([profile([2, 2, 3])], 0, 1)).to.have.length(1);
  });
});
