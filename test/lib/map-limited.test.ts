import { expect } from 'chai';
import { mapLimited } from '../../src/lib/promises.js';

/** A task that ends when it is told to. */
class Gate {
  readonly begun: number[] = [];
  readonly #open = new Map<number, () => void>();

  readonly task = async (item: number): Promise<number> => {
    this.begun.push(item);
    await new Promise<void>((resolve) => this.#open.set(item, resolve));
    return item * 10;
  };

  async open(item: number): Promise<void> {
    this.#open.get(item)?.();
    await new Promise(setImmediate);
  }
}

describe('mapLimited', () => {
  it('gives the results in the order of the items, whichever ends first', async () => {
    const gate = new Gate();
    const results = mapLimited([1, 2, 3], 3, gate.task);
    for (const item of [3, 1, 2]) await gate.open(item);
    expect(await results).to.deep.equal([10, 20, 30]);
  });

  it('has no more under way than the limit, and begins them in order', async () => {
    const gate = new Gate();
    const results = mapLimited([1, 2, 3, 4], 2, gate.task);
    expect(gate.begun).to.deep.equal([1, 2]);
    await gate.open(2);
    expect(gate.begun).to.deep.equal([1, 2, 3]);
    await gate.open(3);
    expect(gate.begun).to.deep.equal([1, 2, 3, 4]);
    await gate.open(1);
    await gate.open(4);
    expect(await results).to.deep.equal([10, 20, 30, 40]);
  });

  it('throws the first failure once all that began has settled, and begins no more', async () => {
    const gate = new Gate();
    let settled = false;
    const results = mapLimited([1, 2, 3, 4], 2, (item) =>
      item === 1 ? Promise.reject(new Error('first')) : gate.task(item),
    ).finally(() => (settled = true));
    const failure = results.then(
      () => undefined,
      (error: unknown) => error,
    );
    await new Promise(setImmediate);
    expect([gate.begun, settled]).to.deep.equal([[2], false]);
    await gate.open(2);
    expect(await failure).to.have.property('message', 'first');
    expect(gate.begun).to.deep.equal([2]);
  });

  it('has nothing to do without items', async () => {
    expect(await mapLimited([], 4, () => Promise.reject(new Error('never')))).to.deep.equal([]);
  });
});
