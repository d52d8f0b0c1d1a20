import { expect } from 'chai';
import { NOTHING, type Actor, type Index, type World } from './protocol.js';
import { RULES, type Rules } from './rules.js';
import { search } from './search.js';

const writer = (todo: string, more: Partial<Actor> = {}): Actor => {
  return { role: 'writer', at: 'begin', todo, ...more };
};
const READER: Actor = { role: 'reader', at: 'begin', todo: '' };
const LISTER: Actor = { role: 'lister', at: 'begin', todo: '' };
const CLIENT: Actor = { role: 'client', at: 'begin', todo: '' };

/** A key with one version, whose link some writers know. */
const FIRST: Index = { generation: 1, log: 'm' };
const WRITTEN: World = {
  ...NOTHING,
  index: FIRST,
  key: { generation: 1, entry: 'm', at: 1 },
  answered: 'm',
};
const KNOWING = { index: FIRST, known: { generation: 1, base: 0 } };
/** The same key later, when its link does not stand behind the creation of its index any more. */
const SECOND: Index = { generation: 2, log: 'lm' };
const ELSEWHERE: World = {
  ...NOTHING,
  index: SECOND,
  isMoved: true,
  key: { generation: 2, entry: 'l', at: 302 },
  clock: 3,
  answered: 'ml',
};
const KNOWING_IT = { index: SECOND, known: { generation: 2, base: 300 } };
/** The store looks at the links that they have not seen. */
const LOOKED_FOR = { isLookedFor: true };
const ROWS = { index: FIRST, link: 1, entry: 'm' };

/** Who acts at once; `a` to `m` are versions, `n` to `z` delete markers. */
const WORLDS = {
  'a new key that two write': { ...NOTHING, actors: [writer('a'), writer('b')] },
  'a new key that one empties': { ...NOTHING, actors: [writer('a'), writer('n')] },
  'a new key that is read and emptied': { ...NOTHING, actors: [writer('a'), writer('n'), READER] },
  'a new key that is emptied and written': { ...NOTHING, actors: [writer('a'), writer('nb')] },
  'a new key that is written twice': { ...NOTHING, actors: [writer('ab'), writer('n')] },
  'a new key, and a crash': { ...NOTHING, actors: [writer('a'), writer('nb')], crashesLeft: 1 },
  'a key that two write': {
    ...WRITTEN,
    actors: [writer('ab', KNOWING), writer('c', KNOWING), READER],
  },
  'a key that one of two knows': {
    ...WRITTEN,
    actors: [writer('a', KNOWING), writer('b'), READER],
  },
  'a key whose link the store looks at for two': {
    ...WRITTEN,
    actors: [writer('a', LOOKED_FOR), writer('nb', LOOKED_FOR)],
  },
  'a key whose link the store looks at for one of two, and a reader': {
    ...WRITTEN,
    actors: [writer('a', KNOWING), writer('b', LOOKED_FOR), READER],
  },
  'a link elsewhere that the store looks at, and a crash': {
    ...ELSEWHERE,
    actors: [writer('a', LOOKED_FOR), writer('nc', LOOKED_FOR)],
    crashesLeft: 1,
  },
  'a link that the store looks at, and a client of the store deletes': {
    ...ELSEWHERE,
    actors: [writer('a', LOOKED_FOR), writer('b', LOOKED_FOR), CLIENT],
  },
  'a key that none of two knows': { ...WRITTEN, actors: [writer('a'), writer('nb')] },
  'a key whose link stands elsewhere': {
    ...ELSEWHERE,
    actors: [writer('ac'), writer('b'), READER],
  },
  'a key whose link stands elsewhere, which one of two knows': {
    ...ELSEWHERE,
    actors: [writer('a', KNOWING_IT), writer('b'), READER],
  },
  'a key whose link stands elsewhere, that is emptied': {
    ...ELSEWHERE,
    actors: [writer('a'), writer('n', KNOWING_IT), READER],
  },
  'a key whose link stands elsewhere, and a crash': {
    ...ELSEWHERE,
    actors: [writer('a'), writer('nc')],
    crashesLeft: 1,
  },
  'a link elsewhere that a client of the store deletes': {
    ...ELSEWHERE,
    actors: [writer('a'), writer('b'), CLIENT],
  },
  'a key that is emptied': {
    ...WRITTEN,
    actors: [writer('a', KNOWING), writer('n', KNOWING), READER],
  },
  'a key that is emptied and written, and a crash': {
    ...WRITTEN,
    actors: [writer('a', KNOWING), writer('nc')],
    crashesLeft: 1,
  },
  'a listing that lags': {
    ...WRITTEN,
    actors: [writer('a', KNOWING), writer('b'), LISTER],
    rows: ROWS,
  },
  'a link that a client of the store deletes': {
    ...WRITTEN,
    actors: [writer('a', KNOWING), writer('n'), CLIENT],
  },
  'a link that a client of the store deletes, and two write': {
    ...WRITTEN,
    actors: [writer('a', KNOWING), writer('b'), CLIENT],
  },
  'a link that a client of the store deletes, and two empty': {
    ...WRITTEN,
    actors: [writer('na'), writer('o'), CLIENT],
  },
} satisfies Record<string, World>;

/** Where each rule is missed. */
const MISSED_IN: Readonly<Record<keyof Rules, keyof typeof WORLDS>> = {
  firstIndexIsExclusive: 'a new key that two write',
  fencesAreExclusive: 'a key that one of two knows',
  fencesAreFollowed: 'a new key, and a crash',
  lostFencesAreApplied: 'a key that two write',
  indexesAreOrdered: 'a link that a client of the store deletes, and two empty',
  linksAreOrdered: 'a key that is emptied',
  firstLinkIsPlaced: 'a new key that one empties',
  emptyKeysAreKept: 'a new key that one empties',
  deletionsAreStored: 'a link that a client of the store deletes',
  answersWaitForLinks: 'a new key that two write',
  answersWaitForDeletions: 'a key that is emptied',
  createdLinksAreCompared: 'a link that a client of the store deletes',
  laterLinksAreNoticed: 'a listing that lags',
  firstVersionsAreMoved: 'a key that two write',
  firstLinksAreFixed: 'a key that one of two knows',
  unseenLinksAreLookedAt: 'a link that the store looks at, and a client of the store deletes',
};

describe('s3/versions: the model of the protocol on Swift', () => {
  for (const [what, world] of Object.entries(WORLDS)) {
    it(`holds for ${what}`, () => {
      const violation = search(RULES, world);
      expect(violation, JSON.stringify(violation, undefined, 1)).to.equal(undefined);
    });
  }

  for (const [rule, where] of Object.entries(MISSED_IN)) {
    it(`does not hold without this rule: ${rule}`, () => {
      expect(search({ ...RULES, [rule]: false }, WORLDS[where])).to.not.equal(undefined);
    });
  }
});
