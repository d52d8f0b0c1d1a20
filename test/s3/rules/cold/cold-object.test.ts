import { expect } from 'chai';
import { parseColdClasses } from '../../../../src/s3/rules/cold/classes.js';
import {
  coldWorkOf,
  decideRestore,
  isRestored,
  requireRestored,
  restoreHeaders,
  type ColdObject,
} from '../../../../src/s3/rules/cold/cold-object.js';
import {
  parseColdState,
  renderColdState,
  type ColdState,
} from '../../../../src/s3/rules/cold/state.js';
import { expectS3Error } from '../../support.js';

const NOW = Date.UTC(2012, 9, 15, 10, 30);
const COPY = { policy: 1, id: 'ab'.repeat(32) };

function object(state: Partial<ColdState>, bodyAbsent = false): ColdObject {
  const whole = { dueAt: 1, ...state };
  return { storageClass: 'GLACIER', state: whole, stamp: renderColdState(whole), bodyAbsent };
}

interface Follows {
  /** Default false. */
  readonly readable?: boolean;
  /** Default false. */
  readonly bringsBack?: boolean;
  /** Without and with delete_hot. Default: none. */
  readonly work?: readonly [string | undefined, string | undefined];
}

const ARCHIVE: Follows = { work: ['archive', 'archive'] };
const RELEASE: Follows = { work: [undefined, 'release'] };

/** Every state that an object of the cold tier can be in, and what follows from it. */
const STATES: readonly (readonly [what: string, object: ColdObject, follows: Follows])[] = [
  ['due', object({}), ARCHIVE],
  ['due, with a window that is open', object({ restoredUntil: NOW + 1 }), { readable: true }],
  ['due, with a window that is over', object({ restoredUntil: NOW }), ARCHIVE],
  ['archived', object({ copy: COPY }), RELEASE],
  [
    'archived, with a window that is open',
    object({ copy: COPY, restoredUntil: NOW + 1 }),
    { readable: true },
  ],
  ['archived, with a window that is over', object({ copy: COPY, restoredUntil: NOW - 1 }), RELEASE],
  ['released', object({ copy: COPY }, true), { bringsBack: true }],
  [
    // No gateway leaves it so; bytes decide, never a stamp.
    'released, with a window that is open',
    object({ copy: COPY, restoredUntil: NOW + 1 }, true),
    { bringsBack: true },
  ],
];

describe('s3 rules: cold objects', () => {
  for (const [what, cold, follows] of STATES) {
    const { readable = false, bringsBack = false, work = [undefined, undefined] } = follows;
    it(what, () => {
      expect(isRestored(cold, NOW)).to.equal(readable);
      const require = () => {
        requireRestored(cold, NOW);
      };
      if (readable) require();
      else expectS3Error(require, 'InvalidObjectState', { StorageClass: 'GLACIER' });
      const restoredUntil = Date.UTC(2012, 9, 19);
      const decision = { status: readable ? 200 : 202, bringsBack, restoredUntil };
      expect(decideRestore(cold, 3, NOW)).to.deep.equal(decision);
      expect([coldWorkOf(cold, false, NOW), coldWorkOf(cold, true, NOW)]).to.deep.equal(work);
    });
  }

  it('restores no object that is not cold', () => {
    expectS3Error(() => decideRestore(undefined, 1, NOW), 'InvalidObjectState');
  });

  it('tells of a window while it is open, and then no more', () => {
    const state = { dueAt: 1, restoredUntil: Date.UTC(2012, 11, 21) };
    expect(restoreHeaders(state, NOW)).to.deep.equal([
      ['x-amz-restore', 'ongoing-request="false", expiry-date="Fri, 21 Dec 2012 00:00:00 GMT"'],
    ]);
    expect(restoreHeaders(state, state.restoredUntil)).to.deep.equal([]);
    expect(restoreHeaders({ dueAt: 1 }, NOW)).to.deep.equal([]);
  });

  it('reads a map of classes in its order', () => {
    expect([...parseColdClasses(['GLACIER:1', 'DEEP_ARCHIVE:0'])]).to.deep.equal([
      ['GLACIER', 1],
      ['DEEP_ARCHIVE', 0],
    ]);
  });
});

describe('s3 rules: due-cold stamps', () => {
  const STAMPS: readonly [ColdState, string][] = [
    [{ dueAt: 5 }, '{"due_at":5}'],
    [{ dueAt: 5, restoredUntil: 7 }, '{"due_at":5,"restored_until":7}'],
    [{ dueAt: 5, copy: { policy: 2, id: 'x' } }, '{"due_at":5,"copy":{"policy":2,"id":"x"}}'],
    [
      { dueAt: 5, copy: { policy: 2, id: 'x' }, restoredUntil: 7 },
      '{"due_at":5,"copy":{"policy":2,"id":"x"},"restored_until":7}',
    ],
  ];
  for (const [state, text] of STAMPS) {
    it(`are written and read: ${text}`, () => {
      expect(renderColdState(state)).to.equal(text);
      expect(renderColdState(parseColdState(text))).to.equal(text);
      expect(parseColdState(text)).to.deep.include(state);
    });
  }

  for (const text of [
    '',
    'x',
    'null',
    '[]',
    '{}',
    '{"due_at":"5"}',
    '{"due_at":-1}',
    '{"due_at":1.5}',
    '{"due_at":5,"restored_until":"7"}',
    '{"due_at":5,"restored_until":null}',
    '{"due_at":5,"copy":null}',
    '{"due_at":5,"copy":{"policy":1}}',
    '{"due_at":5,"copy":{"id":"x","policy":"1"}}',
  ]) {
    it(`fail closed when they cannot be read: ${text}`, () => {
      expectS3Error(() => parseColdState(text), 'InternalError');
    });
  }
});
