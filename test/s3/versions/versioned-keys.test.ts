import { expect } from 'chai';
import type { Backend } from '../../../src/backend/backend.js';
import { currentRef } from '../../../src/s3/versions/names.js';
import type { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { codeOf, failureOf } from '../../support/failure.js';
import {
  archivedNames,
  bodiesOf,
  CALL,
  ENABLED,
  expectInStep,
  head,
  keyOf,
  put,
  putPlain,
  read,
  readVersion,
  SUSPENDED,
  withStore,
} from './support.js';

const KEY = keyOf('a/key');
const ALLOW = (): void => undefined;

describe('s3/versions/versioned-keys', () => {
  function onStore(
    title: string,
    test: (store: Backend, versions: VersionedKeys) => Promise<void>,
  ): void {
    it(title, () =>
      withStore(async (store, versions) => {
        await test(store, versions);
        await expectInStep(store, KEY, await versions.readIndex(CALL, KEY));
      }),
    );
  }

  onStore('keeps every version that is written', async (store, versions) => {
    const first = await put(store, versions, KEY, 'one');
    const second = await put(store, versions, KEY, 'two');
    expect(first.versionId).to.match(/^[0-9a-f]{32}$/);
    expect(first.versionId > second.versionId).to.equal(true);
    expect(await read(store, KEY)).to.equal('two');
    expect((await head(store, KEY))?.systemMetadata['s3-version-id']).to.equal(second.versionId);
    expect(await readVersion(store, versions, KEY, first.versionId)).to.equal('one');
    expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['two', 'one']);
  });

  onStore('makes the object that was there the version null', async (store, versions) => {
    const metadata = { colour: 'blue' };
    const systemMetadata = { 's3-storage-class': 'GLACIER', 's3-tagging': 'a=b' };
    await putPlain(store, KEY, 'before', { metadata, systemMetadata });
    const before = await head(store, KEY);
    await put(store, versions, KEY, 'after');
    expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['after', 'null before']);
    const found = await versions.find(CALL, KEY, 'null');
    expect(found?.entry).to.deep.include({
      lastModified: before?.lastModified,
      etag: before?.etag,
      size: 6,
      storageClass: 'GLACIER',
    });
    const archived = found && (await store.headObject(CALL, found.ref));
    expect(archived?.metadata).to.deep.equal(metadata);
    expect(archived?.systemMetadata).to.deep.equal({
      ...systemMetadata,
      's3-version-id': 'null',
      's3-last-modified': String(before?.lastModified),
    });
  });

  onStore('puts a delete marker on top, also of nothing', async (store, versions) => {
    const marker = await versions.createDeleteMarker(CALL, KEY, ENABLED);
    expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['marker']);
    await put(store, versions, KEY, 'one');
    await versions.createDeleteMarker(CALL, KEY, ENABLED);
    expect(await read(store, KEY)).to.equal(undefined);
    expect((await versions.currentEntry(CALL, KEY))?.kind).to.equal('delete-marker');
    expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['marker', 'one', 'marker']);
    const found = await versions.find(CALL, KEY, marker.versionId);
    expect(found?.entry.kind).to.equal('delete-marker');
  });

  onStore('adopts an object that a delete marker hides', async (store, versions) => {
    await putPlain(store, KEY, 'before');
    await versions.createDeleteMarker(CALL, KEY, ENABLED);
    expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['marker', 'null before']);
    expect(await readVersion(store, versions, KEY, 'null')).to.equal('before');
  });

  onStore('replaces the version null while versioning is suspended', async (store, versions) => {
    const first = await put(store, versions, KEY, 'one');
    const second = await put(store, versions, KEY, 'two', SUSPENDED);
    expect(second.versionId).to.equal('null');
    expect(second.removed).to.deep.equal([]);
    const third = await put(store, versions, KEY, 'three', SUSPENDED);
    expect(third.removed).to.have.lengthOf(1);
    expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['null three', 'one']);
    expect(await archivedNames(store, KEY)).to.have.lengthOf(2);
    const { versionId, removed } = await versions.createDeleteMarker(CALL, KEY, SUSPENDED);
    expect(versionId).to.equal('null');
    expect(removed).to.have.lengthOf(1);
    expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['null marker', 'one']);
    expect(await archivedNames(store, KEY)).to.deep.equal([first.versionId]);
  });

  onStore('overwrites the object that was there while suspended', async (store, versions) => {
    await putPlain(store, KEY, 'before');
    const { removed } = await put(store, versions, KEY, 'after', SUSPENDED);
    expect(removed).to.have.lengthOf(1);
    expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['null after']);
  });

  onStore('makes the version below current when one is deleted', async (store, versions) => {
    const first = await put(store, versions, KEY, 'one');
    const second = await put(store, versions, KEY, 'two');
    const marker = await versions.createDeleteMarker(CALL, KEY, ENABLED);
    const deleted = await versions.deleteVersion(CALL, KEY, marker.versionId, ALLOW);
    expect(deleted).to.deep.equal({ deleteMarker: true, removed: [] });
    expect(await read(store, KEY)).to.equal('two');
    const removed = await versions.deleteVersion(CALL, KEY, second.versionId, ALLOW);
    expect(removed).to.have.nested.property('removed[0].manifest', undefined);
    expect(await read(store, KEY)).to.equal('one');
    expect(await versions.deleteVersion(CALL, KEY, second.versionId, ALLOW)).to.equal('absent');
    await versions.deleteVersion(CALL, KEY, first.versionId, ALLOW);
    expect(await read(store, KEY)).to.equal(undefined);
    expect(await versions.currentEntry(CALL, KEY)).to.equal(undefined);
    expect(await archivedNames(store, KEY)).to.deep.equal([]);
  });

  onStore('deletes the object that was there as the version null', async (store, versions) => {
    await putPlain(store, KEY, 'before');
    const deleted = await versions.deleteVersion(CALL, KEY, 'null', ALLOW);
    expect(deleted).to.have.property('deleteMarker', false);
    expect(await read(store, KEY)).to.equal(undefined);
    expect(await versions.deleteVersion(CALL, KEY, 'null', ALLOW)).to.equal('absent');
  });

  onStore(
    'asks before it deletes, and nothing is gone when it may not',
    async (store, versions) => {
      const { versionId } = await put(store, versions, KEY, 'one');
      const refusal = new Error('locked');
      let asked: unknown;
      const check = (found: unknown): never => {
        asked = found;
        throw refusal;
      };
      const deleted = versions.deleteVersion(CALL, KEY, versionId, check);
      expect(await failureOf(deleted)).to.equal(refusal);
      expect(asked).to.have.nested.property('systemMetadata.s3-version-id', versionId);
      expect(await read(store, KEY)).to.equal('one');
    },
  );

  onStore('changes locks of a version, of a plain object too', async (store, versions) => {
    await putPlain(store, KEY, 'before');
    await versions.touchVersion(CALL, KEY, undefined, () => ({ hold: 'ON' }));
    expect((await head(store, KEY))?.systemMetadata).to.include({ hold: 'ON' });
    await versions.touchVersion(CALL, KEY, 'null', (found) => {
      expect(found.systemMetadata).to.include({ hold: 'ON' });
      return { hold: null, until: '2100' };
    });
    const { systemMetadata } = (await head(store, KEY)) ?? {};
    expect(systemMetadata).to.include({ until: '2100' }).and.not.to.have.property('hold');
    expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['null before']);
  });

  onStore('adopts what a client of the store wrote over a link', async (store, versions) => {
    await put(store, versions, KEY, 'one');
    await putPlain(store, KEY, 'past us');
    expect(await readVersion(store, versions, KEY, 'null')).to.equal('past us');
    await put(store, versions, KEY, 'two');
    const bodies = await bodiesOf(store, versions, KEY);
    expect(bodies).to.have.members(['two', 'null past us', 'one']);
  });

  onStore('puts a link back that a client of the store deleted', async (store, versions) => {
    await put(store, versions, KEY, 'one');
    await store.deleteObject(CALL, currentRef(KEY));
    expect((await versions.currentEntry(CALL, KEY))?.kind).to.equal('version');
    expect(await read(store, KEY)).to.equal('one');
  });

  onStore('holds conditions against the current version', async (store, versions) => {
    const absent = { nullVersion: false, condition: { absent: true } } as const;
    const { etag } = await put(store, versions, KEY, 'one', absent);
    const refused = put(store, versions, KEY, 'two', absent);
    expect(await codeOf(refused)).to.equal('PreconditionFailed');
    await put(store, versions, KEY, 'two', { nullVersion: false, condition: { etag } });
    const stale = { nullVersion: false, condition: { etag } };
    const late = put(store, versions, KEY, 'three', stale);
    expect(await codeOf(late)).to.equal('PreconditionFailed');
    await versions.createDeleteMarker(CALL, KEY, ENABLED);
    await put(store, versions, KEY, 'three', absent);
    expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['three', 'marker', 'two', 'one']);
  });
});
