import { expect } from 'chai';
import { describeCall, RecordingBackend } from '../../../src/backend/decorators/recording.js';
import { indexRef } from '../../../src/s3/versions/names.js';
import { RecentIndexes } from '../../../src/s3/versions/index-store.js';
import { NO_INDEX } from '../../../src/s3/versions/version-entry.js';
import { CALL, gatewayOn, keyOf, put, withStore } from './support.js';

const KEY = keyOf('k');
/** Their index is large enough to be kept. */
const VERSIONS = 150;

function stored(etag: string) {
  return { index: NO_INDEX, etag };
}

describe('version indexes that are kept in memory', () => {
  it('are those that were used last, within a bound', () => {
    const recent = new RecentIndexes(100_000);
    for (const key of ['a', 'b', 'c']) recent.keep(keyOf(key), stored(key), 30_000);
    expect(recent.get(keyOf('a'))?.etag).to.equal('a');
    recent.keep(keyOf('d'), stored('d'), 30_000);
    const kept = ['a', 'b', 'c', 'd'].filter((key) => recent.get(keyOf(key)) !== undefined);
    expect(kept).to.deep.equal(['a', 'c', 'd']);
    recent.keep(keyOf('a'), stored('new'), 40_000);
    expect(recent.get(keyOf('a'))?.etag).to.equal('new');
    expect(recent.get(keyOf('d'))?.etag).to.equal('d');
  });

  it('are neither small nor larger than the bound', () => {
    const recent = new RecentIndexes(100_000);
    recent.keep(KEY, stored('small'), 10_000);
    expect(recent.get(KEY)).to.equal(undefined);
    recent.keep(KEY, stored('fits'), 90_000);
    recent.keep(KEY, stored('large'), 110_000);
    expect(recent.get(KEY)).to.equal(undefined);
    recent.keep(keyOf('other'), stored('other'), 100_000);
    expect(recent.get(keyOf('other'))?.etag).to.equal('other');
  });

  it('are not read again, and never used when another gateway was there', () =>
    withStore(async (inner) => {
      const store = new RecordingBackend(inner);
      const [ours, theirs] = [gatewayOn(store), gatewayOn(inner)];
      for (let i = 0; i < VERSIONS; i++) await put(store, ours, KEY, `${i}`);
      store.take();
      expect((await ours.readIndex(CALL, KEY)).entries).to.have.length(VERSIONS);
      const calls = store.take().map(describeCall);
      expect(calls.join('\n')).to.match(/^head[^\n]*index/);
      expect(calls).to.have.length(1);

      await put(inner, theirs, KEY, 'theirs');
      const { entries } = await ours.readIndex(CALL, KEY);
      expect(entries).to.have.length(VERSIONS + 1);
      await put(store, ours, KEY, 'ours');
      expect((await theirs.readIndex(CALL, KEY)).entries).to.have.length(VERSIONS + 2);
      await inner.deleteObject(CALL, indexRef(KEY));
      expect((await ours.readIndex(CALL, KEY)).entries).to.have.length(0);
    }));
});
