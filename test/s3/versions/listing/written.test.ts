import { expect } from 'chai';
import type { Backend } from '../../../../src/backend/backend.js';
import { ChainedStore } from '../../../support/faulty/chained-store.js';
import {
  hasVersions,
  readVersionsPage,
} from '../../../../src/s3/versions/listing/versions-page.js';
import type { VersionsSource } from '../../../../src/s3/versions/listing/key-reader.js';
import { currentRef, type VersionedKey } from '../../../../src/s3/versions/names.js';
import type { VersionedKeys } from '../../../../src/s3/versions/versioned-keys.js';
import {
  ACCOUNT,
  BUCKET,
  CALL,
  ENABLED,
  gatewayOn,
  itOnStore,
  keyOf,
  put,
  putPlain,
  SUSPENDED,
} from '../support.js';
import { WHOLE } from './support.js';

/** As operations have it; counts what the listings were not enough for. */
class Listing {
  reads = 0;
  repairs = 0;
  readonly source: VersionsSource;

  constructor(backend: Backend, versions: VersionedKeys) {
    this.source = {
      backend,
      call: CALL,
      account: ACCOUNT,
      bucket: BUCKET,
      readIndex: (call, of) => {
        this.reads++;
        return versions.readIndex(call, of);
      },
      repairLink: (call, of) => {
        this.repairs++;
        return versions.repairLink(call, of);
      },
    };
  }

  /** Key, id, and whether it is a marker and the latest. */
  async whole(): Promise<string[]> {
    const { entries } = await readVersionsPage(this.source, WHOLE);
    return entries.map((entry) =>
      entry.kind === 'prefix'
        ? entry.prefix
        : `${entry.key} ${entry.versionId} ${entry.kind} ${String(entry.isLatest)}`,
    );
  }
}

/** An object that is there before versions are kept; then a version, a marker, and a null version. */
async function writeAll(store: Backend, versions: VersionedKeys): Promise<readonly string[]> {
  await putPlain(store, keyOf('a'), 'first');
  await putPlain(store, keyOf('b'), 'only');
  const second = await put(store, versions, keyOf('a'), 'second');
  const marker = await versions.createDeleteMarker(CALL, keyOf('a'), ENABLED);
  const other = await put(store, versions, keyOf('c'), 'third');
  const replaced = await put(store, versions, keyOf('c'), 'fourth', SUSPENDED);
  const last = await put(store, versions, keyOf('c'), 'fifth', SUSPENDED);
  expect([replaced.versionId, last.versionId]).to.deep.equal(['null', 'null']);
  return [
    `a ${marker.versionId} delete-marker true`,
    `a ${second.versionId} version false`,
    'a null version false',
    'b null version true',
    'c null version true',
    `c ${other.versionId} version false`,
  ];
}

async function removeCurrent(store: Backend, key: VersionedKey): Promise<void> {
  await store.deleteObject(CALL, currentRef(key));
}

describe('s3 versions: listing of what was written', () => {
  itOnStore(
    'reads no index of a few versions, and finds nothing to repair',
    async (store, versions) => {
      const expected = await writeAll(store, versions);
      const listing = new Listing(store, versions);
      expect(await listing.whole()).to.deep.equal(expected);
      expect([listing.reads, listing.repairs]).to.deep.equal([0, 0]);
      expect(await hasVersions(listing.source)).to.equal(true);
    },
  );

  itOnStore('reads indexes where listings cannot be believed', async (store) => {
    const chained = new ChainedStore(store);
    const versions = gatewayOn(chained);
    const expected = await writeAll(chained, versions);
    const listing = new Listing(chained, versions);
    expect(await listing.whole()).to.deep.equal(expected);
    expect([listing.reads, listing.repairs]).to.deep.equal([2, 0]);
    expect(await hasVersions(listing.source)).to.equal(true);
  });

  itOnStore('repairs a link that was lost, once', async (store, versions) => {
    const expected = await writeAll(store, versions);
    await removeCurrent(store, keyOf('c'));
    const listing = new Listing(store, versions);
    expect(await listing.whole()).to.deep.equal(expected);
    expect(listing.repairs).to.equal(1);
    expect(await listing.whole()).to.deep.equal(expected);
    expect(listing.repairs).to.equal(1);
  });

  itOnStore('shows nothing of keys whose versions are all gone', async (store, versions) => {
    const { versionId } = await put(store, versions, keyOf('a'), 'body');
    await versions.deleteVersion(CALL, keyOf('a'), versionId, () => Promise.resolve());
    const listing = new Listing(store, versions);
    expect(await listing.whole()).to.deep.equal([]);
    expect(await hasVersions(listing.source)).to.equal(false);
    expect([listing.reads, listing.repairs]).to.deep.equal([0, 0]);
  });
});
