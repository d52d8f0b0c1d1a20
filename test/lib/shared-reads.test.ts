import { expect } from 'chai';
import { SharedReads } from '../../src/lib/promises.js';

describe('shared reads', () => {
  /** Reads that end when they are told to, each with its number. */
  function reader() {
    const ends: (() => void)[] = [];
    let count = 0;
    const start = (): Promise<number> => {
      const number = ++count;
      return new Promise((resolve) => {
        ends.push(() => {
          resolve(number);
        });
      });
    };
    return { start, ends };
  }

  it('are never older than the call, and at most one waits', async () => {
    const reads = new SharedReads<number>();
    const { start, ends } = reader();
    const first = reads.read('a', start);
    const later = Array.from({ length: 5 }, () => reads.read('a', start));
    expect(ends).to.have.length(1);
    ends[0]?.();
    expect(await first).to.equal(1);
    await Promise.resolve();
    ends[1]?.();
    expect(await Promise.all(later)).to.deep.equal([2, 2, 2, 2, 2]);
    const next = reads.read('a', start);
    ends[2]?.();
    expect(await next).to.equal(3);
  });

  it('of one name do not wait for those of another, nor for failures', async () => {
    const reads = new SharedReads<number>();
    const { start, ends } = reader();
    const failing = reads.read('a', () => Promise.reject(new Error('away')));
    const after = reads.read('a', start);
    const other = reads.read('b', () => Promise.resolve(7));
    expect(await other).to.equal(7);
    expect(await failing.catch((error: unknown) => (error as Error).message)).to.equal('away');
    while (ends.length === 0) await Promise.resolve();
    ends[0]?.();
    expect(await after).to.equal(1);
  });
});
