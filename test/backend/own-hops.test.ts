import assert from 'node:assert/strict';
import { isFirstPlace, isOurHop } from '../../src/backend/own-hops.js';

const VERSION = '0123456789abcdef0123456789abcdef';
const ID = '01a2b3c4d5e6f708192a3b4c5d6e7f80';

describe('what is our own on the way to an object', () => {
  const at = (path: string) => {
    const [account = '', container = '', ...rest] = path.split('/');
    return { account, container, object: rest.join('/') };
  };
  const hex = (key: string) => Buffer.from(key).toString('hex');
  const ours = [
    ['A/b/k', `A/b+versions/${hex('k')}/${VERSION}`],
    ['A/b/ä/ö', `A/b+versions/${hex('ä/ö')}/${VERSION}`],
    ['A/b/k', `A/b+segments/k/${ID}/1`],
    ['A/b/k\nl', `A/b+segments/k\nl/${ID}/10000`],
    [`A/b/k/${ID}/1`, `A/b+segments/k/${ID}/1/${ID}/2`],
    [`A/b+versions/${hex('a/b')}/${VERSION}`, `A/b+segments/a/b/${ID}/7`],
  ];
  for (const [first = '', hop = ''] of ours) {
    it(`is ${JSON.stringify(hop)} for ${JSON.stringify(first)}`, () => {
      assert.equal(isOurHop(at(first), at(hop)), true);
    });
  }

  const foreign = [
    ['A/b/k', 'A/b/k'],
    ['A/b/k', 'A/b/other'],
    ['A/b/k', `V/b+versions/${hex('k')}/${VERSION}`],
    ['A/b/k', `A/c+versions/${hex('k')}/${VERSION}`],
    ['A/b/k', `A/b+versions/${hex('other')}/${VERSION}`],
    ['A/b/k', `A/b+versions/${hex('k').toUpperCase()}/${VERSION}`],
    ['A/b/k', `A/b+versions/${hex('k')}/index.json`],
    ['A/b/k', `A/b+versions/${hex('k')}/${VERSION}\n`],
    // Keys that begin alike.
    ['A/b/a', `A/b+segments/a/b/${ID}/1`],
    [`A/b/k`, `A/b+segments/k/${ID}/1/${ID}/2`],
    ['A/b/k', `A/b+segments/k/${ID}`],
    ['A/b/k', `A/b+segments/k/${ID}/0`],
    ['A/b/k', `A/b+segments/k/${ID}/01`],
    ['A/b/k', `A/b+segments/k/short/1`],
    ['A/b/k', `A/b+segments/k/${ID}/1\n`],
    // The first path is a part itself: nothing is behind it.
    [`A/b+segments/k/${ID}/1`, `A/b+segments/k/${ID}/2`],
    [`A/b+versions/${hex('k')}/index.json`, `A/b+segments/k/${ID}/1`],
    [`A/b+versions/${hex('k')}/${VERSION}`, `A/b+versions/${hex('l')}/${VERSION}`],
  ];
  for (const [first = '', hop = ''] of foreign) {
    it(`is not ${JSON.stringify(hop)} for ${JSON.stringify(first)}`, () => {
      assert.equal(isOurHop(at(first), at(hop)), false);
    });
  }

  it('may be the first version in the place of the index of the key, if it says so itself', () => {
    const place = `A/b+versions/${hex('k')}/index.json`;
    assert.equal(isFirstPlace(at('A/b/k'), at(place)), true);
    for (const other of ['A/b/l', 'A/c/k', 'V/b/k', place]) {
      assert.equal(isFirstPlace(at(other), at(place)), false, other);
    }
    assert.equal(isFirstPlace(at('A/b/k'), at(`A/b+versions/${hex('k')}/index.g1.json`)), false);
  });
});
