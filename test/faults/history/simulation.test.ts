import { expect } from 'chai';
import fc from 'fast-check';
import { checkHistory } from './check.js';
import type { ListOperation, Operation } from './operation.js';
import { simulate, type Step } from './simulation.js';

const step: fc.Arbitrary<Step> = fc.record({
  op: fc.constantFrom(
    ...(['put', 'put', 'put', 'delete', 'delete-version', 'get', 'get-version', 'list'] as const),
    ...(['set-state', 'get', 'list'] as const),
  ),
  at: fc.integer({ min: 100, max: 1500 }),
  before: fc.integer({ min: 1, max: 60 }),
  after: fc.integer({ min: 1, max: 60 }),
  fate: fc.constantFrom(
    ...(['answered', 'answered', 'answered', 'answered', 'answered'] as const),
    ...(['never happens', 'happens unanswered', 'happens late'] as const),
  ),
  choice: fc.nat({ max: 20 }),
});
const steps = fc.array(step, { maxLength: 40, size: 'max' });

describe('history checker, on simulated buckets', () => {
  it('accepts whatever a right bucket does', () => {
    fc.assert(
      fc.property(steps, (run) => {
        const history = simulate(run);
        expect(checkHistory(history)).to.deep.equal([]);
        expect(checkHistory(history, { seenIsFirm: false })).to.deep.equal([]);
      }),
      { numRuns: 800 },
    );
  });

  it('misses no version that is dropped from the end', () => {
    fc.assert(
      fc.property(
        steps.map((run) => run.filter(({ op, fate }) => op === 'put' || fate === 'answered')),
        fc.nat(),
        (run, choice) => {
          const history = simulate(run.filter(({ op }) => op !== 'delete-version'));
          const list = history.findLast((operation) => operation.op === 'list');
          if (list?.op !== 'list') throw new Error('a simulated history ends with a listing');
          const hexEntries = entriesOf(list).filter(({ version }) => version !== 'null');
          const dropped = hexEntries[choice % hexEntries.length];
          fc.pre(dropped !== undefined && isAcknowledged(history, dropped.version));
          const without = history.map((operation) =>
            operation === list ? withoutVersion(list, dropped.version) : operation,
          );
          expect(checkHistory(without).map(({ kind }) => kind)).to.include('lost');
        },
      ),
      { numRuns: 300 },
    );
  });
});

function entriesOf({ outcome }: ListOperation) {
  return outcome.result === 'ok' ? outcome.entries : [];
}

function isAcknowledged(history: readonly Operation[], version: string): boolean {
  return history.some(
    (operation) =>
      (operation.op === 'put' || operation.op === 'delete') &&
      operation.outcome.result === 'ok' &&
      operation.outcome.version === version,
  );
}

function withoutVersion(list: ListOperation, version: string): ListOperation {
  const entries = entriesOf(list).filter((entry) => entry.version !== version);
  return { ...list, outcome: { result: 'ok', entries } };
}
