import { expect } from 'chai';
import { ScratchBytes, ScratchMemory } from '../../src/lib/buffers/scratch-memory.js';
import { useEach } from '../support/fixture.js';

const BYTES = 10_000;

describe('scratch memory', () => {
  const scratch = useEach(() => new ScratchMemory(BYTES, 2));

  /** Lent out, with this at its beginning. */
  function lent(text: string): { memory: Buffer<ArrayBuffer>; bytes: ScratchBytes } {
    const memory = scratch().take(BYTES);
    memory.write(text);
    return { memory, bytes: new ScratchBytes(scratch(), memory, text.length) };
  }

  it('is used again once it is given back, and by one at a time', () => {
    const memory = scratch().take(BYTES - 1);
    expect(memory.length).to.equal(BYTES);
    expect(scratch().take(BYTES)).not.to.equal(memory);
    scratch().give(memory);
    expect(scratch().take(BYTES)).to.equal(memory);
    expect(scratch().take(BYTES)).not.to.equal(memory);
  });

  it('is kept for a few, however many are given back', () => {
    const many = Array.from({ length: 10 }, () => scratch().take(BYTES));
    for (const memory of many) scratch().give(memory);
    const again = Array.from({ length: 10 }, () => scratch().take(BYTES));
    expect(again.filter((memory) => many.includes(memory))).to.have.length(2);
  });

  it('of other sizes is not kept', () => {
    for (const bytes of [0, 100, BYTES + 1]) {
      const memory = scratch().take(bytes);
      expect(memory.length).to.equal(bytes);
      scratch().give(memory);
      expect(scratch().take(bytes)).not.to.equal(memory);
      expect(scratch().take(BYTES).length).to.equal(BYTES);
    }
  });

  it('grows with what is in it, and is given back for the larger', () => {
    const { memory } = lent('begun');
    const grown = scratch().grow(memory, 5, BYTES + 1);
    expect(grown.length).to.equal(2 * BYTES);
    expect(grown.toString('utf8', 0, 5)).to.equal('begun');
    expect(scratch().take(BYTES)).to.equal(memory);

    const small = scratch().take(10);
    small.write('0123456789');
    expect(scratch().grow(small, 10, 11).toString('utf8', 0, 10)).to.equal('0123456789');
  });

  it('is lent to a reader until the next chunk is asked for', async () => {
    const { memory, bytes } = lent('the whole');
    expect(bytes.length).to.equal(9);
    expect(bytes.toString()).to.equal('the whole');

    const reader = bytes[Symbol.asyncIterator]();
    expect((await reader.next()).value?.toString()).to.equal('the whole');
    expect(scratch().take(BYTES)).not.to.equal(memory);
    expect(await reader.next()).to.deep.equal({ done: true, value: undefined });
    expect(scratch().take(BYTES)).to.equal(memory);
  });

  it('is given back once, whatever its reader does at the end', async () => {
    const { memory, bytes } = lent('all');
    const reader = bytes[Symbol.asyncIterator]();
    await reader.next();
    await reader.return?.();
    await reader.return?.();
    await reader.next();
    for await (const chunk of bytes) expect.fail(`a second reader was given ${chunk.length} bytes`);
    expect(bytes.toString()).to.equal('');

    const next = [scratch().take(BYTES), scratch().take(BYTES)];
    expect(next.filter((each) => each === memory)).to.have.length(1);
  });

  it('is given back by a reader that goes before it has read', async () => {
    const { memory, bytes } = lent('all');
    await bytes[Symbol.asyncIterator]().return?.();
    expect(scratch().take(BYTES)).to.equal(memory);
  });
});
