import { expect } from 'chai';
import type { Operation } from '../history/operation.js';
import { faultRow, renderTable } from './fault-table.js';

const S = 1_000_000;

describe('table of faults', () => {
  const put = (key: string, start: number, end: number, ok = true): Operation => ({
    ...{ client: 'c', op: 'put', key, body: key, start: start * S, end: end * S },
    outcome: ok ? { result: 'ok' } : { result: 'unknown', why: '503 SlowDown' },
  });

  it('counts what ended after the fault began, and how long errors went on after its end', () => {
    const operations = [
      put('before', 0, 1, false),
      put('a', 1, 3),
      put('b', 3, 8, false),
      put('a', 8, 9),
      put('c', 10, 12, false),
      put('d', 12, 13),
    ];
    const row = faultRow('a fault', operations, { from: 2 * S, undone: 10 * S });
    expect(row).to.deep.equal({
      ...{ title: 'a fault', acknowledged: 3, operations: 5, errors: 2 },
      ...{ longestMs: 5000, recoveryMs: 2000, keys: new Set(['a', 'd']) },
    });
    expect(
      renderTable([row], new Set(['d', 'before']))
        .split('\n')
        .at(-1),
    ).to.equal('| a fault | 3 | 1 | 2 of 5 | 5.0 s | 2.0 s |');
    expect(faultRow('', operations, { from: 0, undone: 20 * S }).recoveryMs).to.equal(0);
  });
});
