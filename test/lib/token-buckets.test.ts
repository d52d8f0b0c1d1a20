import { expect } from 'chai';
import { TokenBuckets } from '../../src/lib/token-buckets.js';

describe('admission: token buckets', () => {
  it('limits no user when there is no rate', () => {
    const buckets = new TokenBuckets({ perS: 0, burst: 1 });
    for (let turn = 0; turn < 100; turn++) expect(buckets.take('a')).to.equal(true);
  });

  it('gives each key its burst, and then its rate', () => {
    let now = 0;
    const buckets = new TokenBuckets({ perS: 10, burst: 3 }, () => now);
    const taken = (key: string): number => {
      let count = 0;
      while (buckets.take(key)) count += 1;
      return count;
    };
    expect([taken('a'), taken('b'), taken('a')]).to.deep.equal([3, 3, 0]);
    now = 250;
    expect(taken('a')).to.equal(2);
    now = 300;
    expect(taken('a')).to.equal(1);
    now = 1_000_000;
    expect(taken('a')).to.equal(3);
  });

  it('remembers a bounded number of keys', () => {
    const buckets = new TokenBuckets({ perS: 1, burst: 1 }, () => 0);
    expect([buckets.take('first'), buckets.take('first')]).to.deep.equal([true, false]);
    for (let index = 0; index < 10_000; index++) buckets.take(`key-${index}`);
    expect(buckets.take('first')).to.equal(true);
  });
});
