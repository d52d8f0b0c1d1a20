import { expect } from 'chai';
import { useEach, useOnce } from '../support/fixture.js';

describe('fixtures of tests', () => {
  const told: string[] = [];
  /** Tells when it opens and closes, and closes by a method that needs its object. */
  const teller = (name: string) => () => {
    told.push(`open ${name}`);
    return {
      name,
      close(): void {
        told.push(`close ${this.name}`);
      },
    };
  };

  describe('of a suite', () => {
    const all = useOnce(teller('all'), 'close');
    const first = useEach(teller('first'), 'close');
    const second = useEach(() => teller(`second, after ${first().name}`)(), 'close');
    beforeEach(() => told.push('beforeEach'));
    afterEach(() => told.push('afterEach'));
    after(() => told.push('after'));

    for (const test of ['one', 'two']) {
      it(`are open in test ${test}`, () => {
        told.push(`${test} has ${all().name}, ${first().name}`);
        expect(second().name).to.equal('second, after first');
      });
    }
  });

  // In a suite, because tests run before the suites beside them.
  describe('with hooks', () => {
    it('open in their order beside the hooks, and close after them, the last one first', () => {
      const ofTest = (test: string): string[] => [
        ...['open first', 'open second, after first', 'beforeEach'],
        ...[`${test} has all, first`, 'afterEach'],
        ...['close second, after first', 'close first'],
      ];
      expect(told).to.deep.equal([
        'open all',
        ...ofTest('one'),
        ...ofTest('two'),
        'after',
        'close all',
      ]);
    });
  });
});
