import { expect } from 'chai';
import { BoundedCache } from '../../src/lib/bounded-cache.js';

describe('lib: bounded cache', () => {
  it('keeps what was put last, until its time is over', () => {
    let time = 0;
    const cache = new BoundedCache<number>({ weightMax: 2, lifeMs: 100, now: () => time });
    cache.set('a', 1);
    cache.set('b', 2);
    time = 50;
    cache.set('a', 3);
    cache.set('c', 4);
    // The oldest one had to go.
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).to.deep.equal([3, undefined, 4]);
    cache.replace('a', 5);
    cache.replace('b', 6);
    expect([cache.get('a'), cache.get('b')]).to.deep.equal([5, undefined]);
    time = 149;
    expect(cache.get('a')).to.equal(5);
    time = 150;
    expect([cache.get('a'), cache.get('c')]).to.deep.equal([undefined, undefined]);
  });

  it('keeps nothing for no time', () => {
    const cache = new BoundedCache<number>({ weightMax: 2, lifeMs: 0 });
    cache.set('a', 1);
    expect(cache.get('a')).to.equal(undefined);
  });

  it('forgets what was not used, and not what was', () => {
    const cache = new BoundedCache<number>({ weightMax: 8 });
    cache.set('used', 0);
    for (let i = 1; i < 100; i++) {
      cache.set(String(i), i);
      expect(cache.get('used')).to.equal(0);
      expect(cache.size).to.be.at.most(8);
    }
    expect(cache.get('1')).to.equal(undefined);
  });

  it('forgets by weight', () => {
    const cache = new BoundedCache<string>({ weightMax: 100 });
    for (const key of ['a', 'b', 'c']) cache.set(key, key, 30);
    expect(cache.get('a')).to.equal('a');
    cache.set('d', 'd', 30);
    const kept = ['a', 'b', 'c', 'd'].filter((key) => cache.get(key) !== undefined);
    expect(kept).to.deep.equal(['a', 'c', 'd']);
    cache.set('a', 'new', 40);
    expect([cache.get('a'), cache.get('c'), cache.get('d')]).to.deep.equal(['new', 'c', 'd']);
  });

  it('keeps nothing that is heavier than all may be', () => {
    const cache = new BoundedCache<string>({ weightMax: 100 });
    cache.set('a', 'fits', 90);
    cache.set('a', 'heavy', 110);
    expect([cache.get('a'), cache.size]).to.deep.equal([undefined, 0]);
    cache.set('b', 'just fits', 100);
    expect(cache.get('b')).to.equal('just fits');
  });
});
