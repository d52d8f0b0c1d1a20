import { expect } from 'chai';
import {
  hasVersions,
  readVersionsPage,
  type VersionsPage,
} from '../../../../src/s3/versions/listing/versions-page.js';
import type { VersionEntry } from '../../../../src/s3/versions/version-entry.js';
import { BucketDouble, indexOf, version, versionNames, WHOLE, type KeyState } from './support.js';

const ARCHIVE = 'bucket+versions';
const MARKER = { kind: 'delete-marker' } as const;

/** With an index in step: versions, or whatever `more` says of each, the newest first. */
function versioned(
  key: string,
  count: number,
  more: (at: number) => Partial<VersionEntry> = () => ({}),
): KeyState {
  const entries = versionNames(key, count).map((name, at) => version(name, more(at)));
  const told = 'summary';
  return { key, index: indexOf(entries), current: 'in_step', told, orphans: 0, fences: 2 };
}

function numbered(prefix: string, count: number, state: (key: string) => KeyState): KeyState[] {
  return Array.from({ length: count }, (_, at) => state(prefix + String(at).padStart(5, '0')));
}

function plain(key: string): KeyState {
  return { key, current: 'plain', told: 'nothing', orphans: 0, fences: 0 };
}

/** Of a page that goes on behind this one. */
function behind(page: VersionsPage) {
  if (page.next === undefined) throw new Error('this was the last page');
  return { ...WHOLE, ...page.next };
}

describe('s3 versions: what a page costs', () => {
  it('one listing of a bucket that never kept versions', async () => {
    const bucket = new BucketDouble(numbered('k', 1500, plain));
    const page = await readVersionsPage(bucket.source, WHOLE);
    expect(page.entries).to.have.length(1000);
    // The archive is asked for at the same time, and is not there.
    expect(bucket.calls).to.have.members(['bucket', ARCHIVE]);
    bucket.calls.length = 0;
    expect((await readVersionsPage(bucket.source, behind(page))).entries).to.have.length(500);
    expect(bucket.calls).to.have.members(['bucket', ARCHIVE]);
  });

  it('no read of any index for keys with two versions', async () => {
    const bucket = new BucketDouble(numbered('k', 1000, (key) => versioned(key, 2)));
    const page = await readVersionsPage(bucket.source, WHOLE);
    expect(page.entries).to.have.length(1000);
    // 500 keys: an index, two fences and two versions of each, a thousand names a listing.
    expect(bucket.calls).to.have.members(['bucket', ARCHIVE, ARCHIVE, ARCHIVE]);
    bucket.calls.length = 0;
    await readVersionsPage(bucket.source, behind(page));
    // One more looks for an object beside the index of the key that the page begins in.
    expect(bucket.calls).to.have.length(5);
  });

  it('one read of an index with 10,000 versions, and no walk through them', async () => {
    const bucket = new BucketDouble([versioned('k', 10_000), versioned('l', 1)]);
    let page = await readVersionsPage(bucket.source, { ...WHOLE, prefix: 'k' });
    for (let pages = 1; pages < 10; pages++) {
      // The names of versions up to the first index; further on the index comes first.
      expect(bucket.calls.length).to.be.at.most(4);
      expect(bucket.namesListed).to.be.at.most(1005);
      expect(page.entries).to.have.length(1000);
      bucket.calls.length = 0;
      bucket.namesListed = 0;
      page = await readVersionsPage(bucket.source, { ...behind(page), prefix: 'k' });
    }
    expect(page.next).to.equal(undefined);
  });

  it('a read of one such index, not of those that come after it', async () => {
    const bucket = new BucketDouble(numbered('k', 20, (key) => versioned(key, 1100)));
    await readVersionsPage(bucket.source, WHOLE);
    expect(bucket.calls.filter((call) => call.startsWith('index'))).to.deep.equal(['index k00000']);
  });

  it('reads of some indexes at a time, where listing entries do not tell', async () => {
    const states = numbered('k', 300, (key) => ({
      ...versioned(key, 5),
      told: 'nothing' as const,
    }));
    const bucket = new BucketDouble(states);
    await readVersionsPage(bucket.source, { ...WHOLE, maxKeys: 20 });
    const reads = bucket.calls.filter((call) => call.startsWith('index'));
    expect(reads.length).to.be.at.most(16);
  });

  it('one listing of common prefixes, however many keys are in them', async () => {
    const folders = numbered('f', 50, plain).flatMap(({ key }) =>
      numbered(`${key}/`, 60, (name) => versioned(name, 2)),
    );
    const bucket = new BucketDouble(folders);
    const page = await readVersionsPage(bucket.source, { ...WHOLE, delimiter: '/' });
    expect(page.entries).to.have.length(50);
    expect(bucket.calls).to.have.members(['bucket', ARCHIVE]);
  });

  it('one more for each common prefix of deleted keys only', async () => {
    const folders = numbered('f', 20, plain).flatMap(({ key }) =>
      numbered(`${key}/`, 30, (name) => versioned(name, 2, (at) => (at === 0 ? MARKER : {}))),
    );
    const bucket = new BucketDouble(folders);
    const page = await readVersionsPage(bucket.source, { ...WHOLE, delimiter: '/' });
    expect(page.entries).to.have.length(20);
    expect(bucket.calls).to.have.length(2 + 20);
  });

  it('no more than its budget, and gets on, through keys that have no version any more', async () => {
    const empty = numbered('f/', 400, (key) => ({
      ...versioned(key, 0),
      told: 'nothing' as const,
    }));
    const bucket = new BucketDouble([...empty, versioned('f/z', 2, () => MARKER)]);
    for (const delimiter of [undefined, '/']) {
      const asked = { ...WHOLE, delimiter };
      const budget = { namesPerListing: 1000, callsMax: 50 };
      let page = await readVersionsPage(bucket.source, asked, budget);
      let pages = 1;
      for (; page.next !== undefined; pages++) {
        expect(page.entries).to.deep.equal([]);
        expect(bucket.calls.length).to.be.at.most(50 + 16 + 5);
        bucket.calls.length = 0;
        page = await readVersionsPage(bucket.source, { ...asked, ...page.next }, budget);
      }
      expect(page.entries).to.have.length(delimiter === undefined ? 2 : 1);
      expect(pages).to.be.within(6, 12);
    }
  });

  it('one listing to know of a bucket that it has versions', async () => {
    const bucket = new BucketDouble(numbered('k', 1000, (key) => versioned(key, 1, () => MARKER)));
    expect(await hasVersions(bucket.source)).to.equal(true);
    expect(bucket.calls).to.deep.equal([ARCHIVE]);
  });

  it('some listings to know that it has none', async () => {
    const orphaned = { ...plain('o'), orphans: 3, fences: 3 };
    const empty = numbered('k', 1000, (key) => versioned(key, 0));
    const bucket = new BucketDouble([...empty, orphaned]);
    expect(await hasVersions(bucket.source)).to.equal(false);
    // The index of the orphans is looked for.
    expect(bucket.calls.filter((call) => call !== ARCHIVE)).to.deep.equal(['index o']);
    expect(bucket.calls.length).to.be.at.most(6);
    expect(await hasVersions(new BucketDouble([plain('k')]).source)).to.equal(false);
  });
});
