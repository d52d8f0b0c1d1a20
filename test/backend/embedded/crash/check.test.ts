import { openSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { useTempFolder } from '../../../support/temp-folder.js';
import { findProblems, type ObservedState } from './check.js';
import { type Content, expectationsAfter, JournalWriter } from './journal.js';

const GOOD: ObservedState = {
  objects: new Map([
    ['a', { size: 10, seed: 1, intact: true }],
    ['b', { size: 90_000, seed: 2, intact: true }],
    ['large', { size: 95_000, seed: 3, intact: true, large: true }],
  ]),
  objectCount: 3,
  bytesUsed: 90_010,
  inlineReferred: new Set([7]),
  inlineStored: new Set([7]),
  filesReferred: new Set([8]),
  filesStored: new Set([8]),
  reclaimRows: 0,
};

const EXPECTED = new Map<string, readonly Content[]>([
  ['a', [{ size: 10, seed: 1 }]],
  ['b', ['absent', { size: 90_000, seed: 2 }]],
  ['c', ['absent']],
  ['large', [{ size: 95_000, seed: 3 }]],
]);

function withObject(name: string, object: { size: number; seed: number; intact: boolean }): object {
  return { objects: new Map([...GOOD.objects, [name, object]]) };
}

describe('the checker of the crash test', () => {
  const directory = useTempFolder('journal');

  it('finds nothing in a good state', () => {
    expect(findProblems(GOOD, EXPECTED)).to.deep.equal([]);
  });

  const wrong: readonly [string, Partial<ObservedState>, RegExp][] = [
    [
      'a lost object',
      { objects: new Map([...GOOD.objects].slice(1)) },
      /^a is absent, not version/,
    ],
    ['an older version', withObject('a', { size: 10, seed: 0, intact: true }), /^a is version 0/],
    ['a partial body', withObject('a', { size: 10, seed: 1, intact: false }), /^a is damaged/],
    ['a deleted object that is back', withObject('c', { size: 0, seed: 3, intact: true }), /^c is/],
    ['an object of nobody', withObject('x', { size: 0, seed: 3, intact: true }), /never written/],
    ['a wrong count', { objectCount: 2 }, /2 objects counted, 3 listed/],
    ['wrong bytes', { bytesUsed: 1 }, /1 bytes counted/],
    ['an orphan file', { filesStored: new Set([8, 9]) }, /body files: 9 is an orphan/],
    ['a missing file', { filesStored: new Set() }, /body files: 8 is missing/],
    ['an orphan inline body', { inlineStored: new Set([7, 6]) }, /inline bodies: 6 is an orphan/],
    ['a missing inline body', { inlineStored: new Set() }, /inline bodies: 7 is missing/],
    ['rows to reclaim', { reclaimRows: 1 }, /1 rows to reclaim/],
  ];
  for (const [what, change, problem] of wrong) {
    it(`finds ${what}`, () => {
      expect(findProblems({ ...GOOD, ...change }, EXPECTED).join('\n')).to.match(problem);
    });
  }

  it('expects what was acknowledged, or what was under way', () => {
    const path = join(directory(), 'journal');
    const journal = new JournalWriter(openSync(path, 'a'));
    const [one, two, three] = [1, 2, 3].map((seed) => ({ size: seed, seed })) as Content[];
    journal.begin('a', one!);
    journal.acknowledged('a');
    journal.begin('a', two!);
    journal.begin('b', 'absent');
    journal.acknowledged('b');
    journal.begin('c', two!);
    journal.acknowledged('c');
    journal.begin('shared/x', one!);
    journal.acknowledged('shared/x');
    journal.begin('shared/x', three!);
    const expected = expectationsAfter(new Map([['b', three!]]), [path]);
    expect([...expected]).to.deep.equal([
      ['b', ['absent']],
      ['a', [one, two]],
      ['c', [two]],
      ['shared/x', ['absent', one, three]],
    ]);
  });
});
