import { expect } from 'chai';
import fc from 'fast-check';
import { SlabQueue } from '../../src/http/slab-queue.js';
import { SlabPool } from '../../src/lib/buffers/slab-pool.js';

const SLAB_BYTES = 16 * 1024;

describe('a queue of slabs', () => {
  it('gives back what was pushed, whatever the sizes and the order of calls', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 3 * SLAB_BYTES }), { maxLength: 20 });
    fc.assert(
      fc.property(sizes, fc.boolean(), fc.infiniteStream(fc.boolean()), (chunks, pooled, reads) => {
        const pool = new SlabPool(SLAB_BYTES, 4);
        const queue = new SlabQueue(pooled ? pool : undefined);
        const pushed: Buffer[] = [];
        const read: Buffer[] = [];
        const readOne = (): boolean => {
          const piece = queue.shift();
          if (piece !== undefined) read.push(Buffer.from(piece));
          return piece !== undefined;
        };
        for (const [index, size] of chunks.entries()) {
          const chunk = Buffer.alloc(size, index + 1);
          pushed.push(Buffer.from(chunk));
          queue.push(chunk);
          // The library's memory is gone after the callback.
          chunk.fill(0xee);
          if (reads.next().value) readOne();
        }
        while (readOne());
        expect(queue.bytes).to.equal(0);
        expect(Buffer.concat(read).equals(Buffer.concat(pushed))).to.be.true;
      }),
    );
  });

  it('uses a slab again only when its reader has asked for the next piece', () => {
    const pool = new SlabPool(SLAB_BYTES, 4);
    const queue = new SlabQueue(pool);
    queue.push(Buffer.alloc(SLAB_BYTES, 1));
    const first = queue.shift();
    queue.push(Buffer.alloc(SLAB_BYTES, 2));
    expect(first?.every((byte) => byte === 1)).to.be.true;
    const second = queue.shift();
    queue.push(Buffer.alloc(SLAB_BYTES, 3));
    expect(second?.every((byte) => byte === 2)).to.be.true;
    expect(queue.shift()?.buffer).to.equal(first?.buffer);
  });

  it('lets go of what is unread, and leaves the lent piece alone', () => {
    const pool = new SlabPool(SLAB_BYTES, 4);
    const queue = new SlabQueue(pool);
    queue.push(Buffer.alloc(2 * SLAB_BYTES, 1));
    const lent = queue.shift();
    queue.clear();
    expect(queue.bytes).to.equal(0);
    queue.push(Buffer.alloc(SLAB_BYTES, 2));
    expect(lent?.every((byte) => byte === 1)).to.be.true;
  });

  it('has few pieces, whatever the number of chunks', () => {
    for (const pool of [undefined, new SlabPool(SLAB_BYTES, 4)]) {
      const queue = new SlabQueue(pool);
      for (let byte = 0; byte < 10_000; byte++) queue.push(Buffer.of(byte % 251));
      expect(queue.bytes).to.equal(10_000);
      const pieces: Buffer[] = [];
      for (let piece = queue.shift(); piece; piece = queue.shift()) pieces.push(Buffer.from(piece));
      expect(pieces.length).to.be.below(10);
      const whole = Buffer.concat(pieces);
      expect(whole).to.have.length(10_000);
      expect(whole.every((value, at) => value === at % 251)).to.be.true;
    }
  });

  it('keeps no more slabs than it may', () => {
    const pool = new SlabPool(SLAB_BYTES, 1);
    const [one, two] = [pool.take(), pool.take()];
    pool.give(one);
    pool.give(two);
    expect(pool.take()).to.equal(one);
    expect(pool.take()).to.not.equal(two);
  });
});
