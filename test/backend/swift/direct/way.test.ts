import { expect } from 'chai';
import {
  chooseWay,
  Notes,
  type ReadFacts,
  type Way,
} from '../../../../src/backend/swift/direct/way.js';

const OBJECT: ReadFacts = {
  method: 'GET',
  hasContainer: true,
  hasObject: true,
  query: '',
  headers: {},
  hasFilter: true,
  policy: 'replicated',
  noted: undefined,
  hasRoom: true,
};
const LISTING = { hasObject: false, policy: undefined, query: 'format=json&limit=11' };

describe('the way of a read', () => {
  const table: readonly (readonly [string, Partial<ReadFacts>, Way | undefined])[] = [
    ['GET of an object', {}, 'direct'],
    ['HEAD of an object', { method: 'HEAD' }, 'direct'],
    ['a range', { headers: { range: 'bytes=0-1' } }, 'direct'],
    ['PUT', { method: 'PUT' }, undefined],
    ['POST', { method: 'POST' }, undefined],
    ['DELETE', { method: 'DELETE' }, undefined],
    ['HEAD of a container', { ...LISTING, method: 'HEAD', query: '' }, undefined],
    ['the list of containers', { ...LISTING, hasContainer: false }, undefined],
    ['a listing', LISTING, 'direct'],
    [
      'a listing with all parameters',
      { ...LISTING, query: 'format=json&prefix=a&delimiter=%2F&marker=b&end_marker=c&limit=1' },
      'direct',
    ],
    ['a listing in plain text', { ...LISTING, query: '' }, 'query'],
    ['a listing with other parameters', { ...LISTING, query: 'format=json&states=x' }, 'query'],
    ['a listing that is sharded', { ...LISTING, noted: 'sharded' }, 'sharded'],
    ['a manifest', { query: 'multipart-manifest=get' }, 'query'],
    ['a link itself', { query: 'symlink=get' }, 'query'],
    ['the newest', { headers: { 'x-newest': 'true' } }, 'newest'],
    ['an expired object', { headers: { 'x-open-expired': 'true' } }, 'header'],
    ['a header that is not known', { headers: { range: 'bytes=0-1', 'x-else': '1' } }, 'header'],
    ['proxies without the filter', { hasFilter: false }, 'no_filter'],
    ['a listing without the filter', { ...LISTING, hasFilter: false }, 'no_filter'],
    ['a policy that is not known', { policy: undefined }, 'policy_unknown'],
    ['an erasure-coded policy', { policy: 'erasure_coded' }, 'erasure_coded'],
    ['what was found to be encrypted', { noted: 'encrypted' }, 'encrypted'],
    ['no room', { hasRoom: false }, 'busy'],
  ];
  for (const [what, facts, way] of table) {
    it(`of ${what} is ${way ?? 'none of its concern'}`, () => {
      expect(chooseWay({ ...OBJECT, ...facts })).to.equal(way);
    });
  }
});

describe('notes of what only a proxy can read', () => {
  it('last a minute', () => {
    let now = 0;
    const notes = new Notes(() => now);
    notes.add('a/c/o', 'encrypted');
    expect(notes.get('a/c/o')).to.equal('encrypted');
    now = 60_000;
    expect(notes.get('a/c/o')).to.equal(undefined);
  });

  it('are not made of what may pass in a moment', () => {
    const notes = new Notes(() => 0);
    for (const reason of ['missing', 'nodes_failed', 'policy_unknown'] as const) {
      notes.add('a/c/o', reason);
    }
    expect(notes.get('a/c/o')).to.equal(undefined);
  });

  it('are bounded', () => {
    const notes = new Notes(() => 0);
    for (let i = 0; i <= 10_000; i++) notes.add(`a/c/${i}`, 'encrypted');
    expect(notes.get('a/c/0')).to.equal(undefined);
    expect(notes.get('a/c/1')).to.equal('encrypted');
  });
});
