import { expect } from 'chai';
import type { Backend, ObjectRef, PutOutcome } from '../../../src/backend/backend.js';
import { DecoratedBackend } from '../../../src/backend/decorators/decorated-backend.js';
import { PersistentBackend } from '../../../src/backend/decorators/persistent.js';
import { BackendError } from '../../../src/backend/errors.js';
import { S3Error } from '../../../src/s3/errors.js';
import { renderCommit } from '../../../src/s3/versions/documents.js';
import { currentRef, fenceRef, indexRef, versionRef } from '../../../src/s3/versions/names.js';
import { codeOf, failureOf } from '../../support/failure.js';
import {
  ARCHIVE,
  archivedNames,
  bodiesOf,
  CALL,
  CONTAINER,
  ENABLED,
  gatewayOn,
  head,
  itOnStore,
  keyOf,
  memoryStore,
  put,
  putPlain,
  read,
  readVersion,
  SUSPENDED,
  withStore,
} from './support.js';

const KEY = keyOf('k');
const ALLOW = (): void => undefined;

/** It deletes what is at a key, and says the first time that it cannot. */
class UnsureBackend extends DecoratedBackend {
  deletions = 0;

  override async deleteObject(...args: Parameters<Backend['deleteObject']>) {
    const [, { container }] = args;
    if (container === CONTAINER.container) this.deletions++;
    const deleted = await super.deleteObject(...args);
    if (this.deletions !== 1) return deleted;
    throw new BackendError('Unavailable', 'no answer');
  }
}

/** It writes each index twice, as a client does that has heard no answer, and tells of the second. */
class RepeatingBackend extends DecoratedBackend {
  override async putObject(...args: Parameters<Backend['putObject']>) {
    const first = await super.putObject(...args);
    const [, { object }] = args;
    return object.endsWith('/index.json') ? super.putObject(...args) : first;
  }
}

function putAt(store: Backend, ref: ObjectRef, text: string | Buffer): Promise<PutOutcome> {
  const body = Buffer.from(text);
  return store.putObject(CALL, ref, { size: body.length, contentType: '', body });
}

describe('s3/versions: edges', () => {
  it('finds its own first index where its creation was answered wrongly', async () => {
    const memory = await memoryStore({ strength: 'ordered' });
    const repeating = new RepeatingBackend(memory.asBackend);
    const versions = gatewayOn(repeating);
    await put(repeating, versions, KEY, 'one');
    expect(await bodiesOf(memory.asBackend, versions, KEY)).to.deep.equal(['one']);
    expect(await read(memory.asBackend, KEY)).to.equal('one');
  });

  it('puts back a link that a client of the store has deleted, where writes are ordered', async () => {
    const memory = await memoryStore({ strength: 'ordered' });
    const store = memory.asBackend;
    await put(store, gatewayOn(store), KEY, 'one');
    await memory.deleteObject(CALL, currentRef(KEY));
    await gatewayOn(store).currentEntry(CALL, KEY);
    expect(await read(store, KEY)).to.equal('one');
    await put(store, gatewayOn(store), KEY, 'two');
    expect(await read(store, KEY)).to.equal('two');
  });

  itOnStore('adopts an object that would have expired for good', async (store, versions) => {
    const body = Buffer.from('plain');
    const deleteAt = Date.now() + 3_600_000;
    const input = { size: body.length, contentType: 'text/plain', body, deleteAt };
    await store.putObject(CALL, currentRef(KEY), input);
    await put(store, versions, KEY, 'after');
    const found = await versions.find(CALL, KEY, 'null');
    expect(found && (await store.headObject(CALL, found.ref))).not.to.have.property('deleteAt');
  });

  itOnStore('adopts a large object without copying its segments', async (store, versions) => {
    const container = `${CONTAINER.container}+segments`;
    const object = `${KEY.key}/${'u'.repeat(32)}/1`;
    const segment = { ...CONTAINER, container, object };
    await store.createContainer(CALL, segment, {});
    const text = 'of a segment';
    const { etag } = (await putAt(store, segment, text)) as { etag: string };
    const systemMetadata = { 's3api-upload-id': 'upload', 's3-checksum': 'CRC32:x-1' };
    await store.putManifest(CALL, currentRef(KEY), {
      segments: [{ container, object, size: text.length, etag }],
      etag: `${etag}-1`,
      contentType: 'text/plain',
      metadata: { colour: 'blue' },
      systemMetadata,
    });
    const before = await head(store, KEY);
    const { removed } = await put(store, versions, KEY, 'after');
    expect(removed, 'its segments are still needed').to.deep.equal([]);

    const found = await versions.find(CALL, KEY, 'null');
    expect(found?.entry).to.include({ uploadId: 'upload', checksumAlgorithm: 'CRC32' });
    expect(found?.entry).to.include({ etag: `${etag}-1`, lastModified: before?.lastModified });
    const archived = found && (await store.headObject(CALL, found.ref));
    expect(archived).to.deep.include({ segmentCount: 1, metadata: { colour: 'blue' } });
    expect(archived?.systemMetadata).to.include(systemMetadata);
    expect(await readVersion(store, versions, KEY, 'null')).to.equal('of a segment');

    const deleted = await versions.deleteVersion(CALL, KEY, 'null', ALLOW);
    expect(deleted).to.have.nested.property('removed[0].manifest.etag', `${etag}-1`);
  });

  itOnStore('writes no index that is too large, and nothing else of the commit', async (store) => {
    const versions = gatewayOn(store, 700);
    const made: string[] = [];
    const fill = async (): Promise<void> => {
      for (;;) made.push((await put(store, versions, KEY, 'x')).versionId);
    };
    const refused = await failureOf(fill(), S3Error);
    expect(refused.code).to.equal('InvalidRequest');
    expect(refused.message).to.match(/too many versions.*700 are allowed/);
    const index = await versions.readIndex(CALL, KEY);
    expect(index.entries.map(({ id }) => id)).to.deep.equal(made.toReversed());
    expect(await archivedNames(store, KEY)).to.have.members(made);
    const fence = store.headObject(CALL, fenceRef(KEY, index.generation + 1));
    expect(await codeOf(fence)).to.equal('NoSuchObject');
    // By deleting, a key comes below the bound again.
    await versions.deleteVersion(CALL, KEY, made[0] ?? '', ALLOW);
    await put(store, versions, KEY, 'again');
  });

  itOnStore(
    'reads no index that it does not understand, and writes nothing over it',
    async (store, versions) => {
      const { versionId } = await put(store, versions, KEY, 'one');
      await putAt(store, indexRef(KEY), '{"format":2}');
      for (const attempt of [
        () => versions.find(CALL, KEY, versionId),
        () => put(store, versions, KEY, 'two'),
        () => versions.createDeleteMarker(CALL, KEY, ENABLED),
        () => versions.deleteVersion(CALL, KEY, versionId, ALLOW),
      ]) {
        expect(await codeOf(attempt())).to.equal('InternalError');
      }
      expect(await read(store, KEY)).to.equal('one');
    },
  );

  itOnStore('never shows an object of the archive that no index names', async (store, versions) => {
    await put(store, versions, KEY, 'one');
    const name = '0'.repeat(32);
    await putAt(store, versionRef(KEY, name), 'x');
    expect(await versions.find(CALL, KEY, name)).to.equal(undefined);
    expect(await versions.deleteVersion(CALL, KEY, name, ALLOW)).to.equal('absent');
  });

  itOnStore(
    'deletes one version `null`, also when the store deletes it and says that it cannot',
    async (store) => {
      const before = gatewayOn(store);
      await put(store, before, KEY, 'behind', SUSPENDED);
      await before.createDeleteMarker(CALL, KEY, ENABLED);
      await putPlain(store, KEY, 'plain');
      const unsure = new UnsureBackend(store);
      const gateway = gatewayOn(new PersistentBackend(unsure));
      const deleted = await gateway.deleteVersion(CALL, KEY, 'null', ALLOW);
      expect(unsure.deletions).to.equal(2);
      expect(deleted).to.have.nested.property('removed[0].ref.container', ARCHIVE.container);
      expect(await archivedNames(store, KEY), 'the copy is gone').to.have.length(1);
      expect(await read(store, KEY)).to.equal(undefined);
      expect(await readVersion(store, before, KEY, 'null')).to.equal('behind');
    },
  );

  itOnStore(
    'passes over the fence of a writer that slept while fences were swept',
    async (store, versions) => {
      await put(store, versions, KEY, 'one');
      const { generation, commit } = await versions.readIndex(CALL, KEY);
      const stale = fenceRef(KEY, generation + 1);
      const document = { format: 1, generation: generation + 1, commit, parent: 'f'.repeat(32) };
      await putAt(store, stale, JSON.stringify({ ...document, change: {} }));
      await put(store, versions, KEY, 'two');
      expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['two', 'one']);
      expect((await versions.readIndex(CALL, KEY)).generation).to.equal(generation + 2);
    },
  );

  it('reads past a void fence, on a store where readers follow fences', async () => {
    const store = (await memoryStore({ strength: 'chained' })).asBackend;
    const versions = gatewayOn(store);
    await put(store, versions, KEY, 'one');
    const index = await versions.readIndex(CALL, KEY);
    const [entry] = index.entries;
    const id = '0'.repeat(32);
    const commit = renderCommit({
      generation: index.generation + 1,
      id: 'e'.repeat(32),
      parent: 'f'.repeat(32),
      change: { add: [{ ...entry!, id, name: id }] },
    });
    const stale = fenceRef(KEY, index.generation + 1);
    await putAt(store, stale, commit);
    expect((await versions.readIndex(CALL, KEY)).entries).to.deep.equal([entry]);
    expect(await versions.find(CALL, KEY, id)).to.equal(undefined);
    await put(store, versions, KEY, 'two');
    expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['two', 'one']);
  });

  itOnStore(
    'finishes the commit of a writer that died behind its fence',
    async (store, versions) => {
      await put(store, versions, KEY, 'one');
      const index = indexRef(KEY);
      const before = await store.getObject(CALL, index);
      await put(store, versions, KEY, 'two');
      const { source, length } = before.body;
      await store.putObject(CALL, index, { size: length, contentType: '', body: source });
      await put(store, versions, KEY, 'three');
      expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['three', 'two', 'one']);
    },
  );

  it('deletes an object whose key is too long for an index', async () => {
    const backend = (await memoryStore({ strength: 'strong' })).asBackend;
    const versions = gatewayOn(backend);
    const long = keyOf('k'.repeat(3000));
    await putPlain(backend, long, 'x');
    expect(await codeOf(put(backend, versions, long, 'y'))).to.equal('KeyTooLongError');
    expect(await versions.deleteVersion(CALL, long, '0'.repeat(32), ALLOW)).to.equal('absent');
    expect(await versions.deleteVersion(CALL, long, 'null', ALLOW)).to.have.property('removed');
    expect(await head(backend, long)).to.equal(undefined);
  });

  describe('of a bucket that is deleted meanwhile', () => {
    async function expectNothingIn(remove: (store: Backend) => Promise<void>): Promise<void> {
      await withStore(async (store, versions) => {
        await put(store, versions, keyOf('other'), 'x');
        const body = Buffer.from('late');
        const created = versions.createVersion(CALL, KEY, {
          ...ENABLED,
          write: async (ref) => {
            await remove(store);
            const outcome = await putAt(store, ref, body);
            if (outcome.outcome !== 'created') throw new Error(outcome.outcome);
            return { size: body.length, etag: outcome.etag, lastModified: outcome.lastModified };
          },
        });
        expect(await codeOf(created)).to.equal('NoSuchContainer');
        const { entries } = await versions.readIndex(CALL, KEY);
        expect(entries, 'nothing of it stays').to.deep.equal([]);
        const left = await archivedNames(store, KEY).catch(() => []);
        expect(left, 'not even its object').to.deep.equal([]);
      });
    }

    async function emptyBucket(store: Backend): Promise<void> {
      await store.deleteObject(CALL, currentRef(keyOf('other')));
      await store.deleteContainer(CALL, CONTAINER);
    }

    it('takes the version with the bucket', () => expectNothingIn(emptyBucket));

    it('writes no archive of a bucket that is gone', () =>
      expectNothingIn(async (store) => {
        await emptyBucket(store);
        const { entries } = await store.listObjects(CALL, ARCHIVE, { limit: 100 });
        for (const entry of entries) {
          if (entry.kind !== 'object') continue;
          await store.deleteObject(CALL, { ...ARCHIVE, object: entry.object.name });
        }
        await store.deleteContainer(CALL, ARCHIVE);
      }));
  });
});
