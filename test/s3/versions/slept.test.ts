import { expect } from 'chai';
import type { Backend, ObjectRef } from '../../../src/backend/backend.js';
import { S3Error } from '../../../src/s3/errors.js';
import { parseIndex } from '../../../src/s3/versions/documents.js';
import { PlainSightings } from '../../../src/s3/versions/current-state.js';
import { fenceRef, indexRef } from '../../../src/s3/versions/names.js';
import { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { MemoryBackend } from './memory-backend.js';
import type { Stored } from './memory-objects.js';
import { Sleepy } from './sleepy.js';
import {
  archivedNames,
  bodiesOf,
  CALL,
  CONTAINER,
  gatewayOn,
  keyOf,
  postponingGatewayOn,
  put,
  putPlain,
  read,
  SUSPENDED,
  withStore,
} from './support.js';

const KEY = keyOf('a/key');

/** Requests that were told how things are, slept, and went on when they were another way. */
describe('s3/versions, of a writer that slept', () => {
  const writes = ['put', 'delete marker'] as const;
  for (const write of writes) {
    it(`keeps a version null that was locked from being replaced by a ${write}`, () =>
      withStore(async (store) => {
        const versions = gatewayOn(store);
        await put(store, versions, KEY, 'before', SUSPENDED);
        // Now the bucket gets locks, which a writer that was told `Suspended` does not know.
        await versions.touchVersion(CALL, KEY, 'null', () => ({ hold: 'ON' }));
        const late =
          write === 'put'
            ? put(store, versions, KEY, 'late', SUSPENDED)
            : versions.createDeleteMarker(CALL, KEY, SUSPENDED);
        const error = await late.catch((thrown: unknown) => thrown);
        expect(error).to.be.instanceOf(S3Error).with.property('code', 'OperationAborted');
        expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['null before']);
        expect(await read(store, KEY)).to.equal('before');
        expect(await archivedNames(store, KEY), 'nothing is left of it').to.have.length(1);
      }));
  }

  for (const strength of ['strong', 'chained', 'ordered'] as const) {
    it(`puts no older index back when it won a fence and slept, on a ${strength} store`, async () => {
      const written: number[] = [];
      const onPut = ({ object }: ObjectRef, { body }: Pick<Stored, 'body'>): void => {
        if (object.endsWith('/index.json')) written.push(parseIndex(body).generation);
      };
      const memory = new MemoryBackend({ strength, onPut });
      await memory.createContainer(CALL, CONTAINER);
      const store = memory.asBackend;
      const others = gatewayOn(store);
      await put(store, others, KEY, 'one');
      const sleepy = new Sleepy(store, 'behind its fence');
      const late = put(sleepy, gatewayOn(sleepy), KEY, 'late');
      await sleepy.asleep;
      await put(store, others, KEY, 'two');
      await put(store, others, KEY, 'three');
      sleepy.wake();
      await late;
      // Readers would follow the fences from an older one, and write the latest again: not needed.
      expect(written).to.deep.equal(written.toSorted((one, other) => one - other));
      const inOrder = ['three', 'two', 'late', 'one'];
      expect(await bodiesOf(store, others, KEY)).to.deep.equal(inOrder);
      expect(await bodiesOf(store, gatewayOn(store), KEY)).to.deep.equal(inOrder);
    });
  }

  it('follows the fences from an older index that it puts back, on a chained store', async () => {
    const memory = new MemoryBackend({ strength: 'chained' });
    await memory.createContainer(CALL, CONTAINER);
    const store = memory.asBackend;
    await put(store, gatewayOn(store), KEY, 'one');
    const sleepy = new Sleepy(store, 'before its index');
    const late = put(sleepy, gatewayOn(sleepy), KEY, 'late');
    await sleepy.asleep;
    await put(store, gatewayOn(store), KEY, 'two');
    await put(store, gatewayOn(store), KEY, 'three');
    sleepy.wake();
    await late;
    expect(await bodiesOf(store, gatewayOn(store), KEY)).to.deep.equal([
      'three',
      'two',
      'late',
      'one',
    ]);
    expect(await read(store, KEY)).to.equal('three');
  });
});

describe('s3/versions, of a writer that slept, where writes are ordered', () => {
  let store: Backend;

  beforeEach(async () => {
    const memory = new MemoryBackend({ strength: 'ordered' });
    await memory.createContainer(CALL, CONTAINER);
    store = memory.asBackend;
  });

  it('puts no older link over a newer one', async () => {
    await put(store, gatewayOn(store), KEY, 'one');
    const sleepy = new Sleepy(store, 'before its link');
    const late = put(sleepy, gatewayOn(sleepy), KEY, 'late');
    await sleepy.asleep;
    await put(store, gatewayOn(store), KEY, 'two');
    sleepy.wake();
    await late;
    expect(await read(store, KEY)).to.equal('two');
  });

  it('leaves no link to what was deleted before it was there', async () => {
    const sleepy = new Sleepy(store, 'before its link');
    const late = put(sleepy, gatewayOn(sleepy), KEY, 'late');
    await sleepy.asleep;
    await gatewayOn(store).createDeleteMarker(CALL, KEY, { nullVersion: false });
    expect(await read(store, KEY)).to.equal(undefined);
    sleepy.wake();
    await late;
    expect(await read(store, KEY)).to.equal(undefined);
  });

  it('leaves none where an object from before the versions was adopted in between', async () => {
    const sleepy = new Sleepy(store, 'before its link');
    const plainSightings = new PlainSightings();
    plainSightings.note(KEY, { kind: 'nothing' });
    await putPlain(store, KEY, 'before');
    const options = { backend: sleepy, indexBytesMax: 100_000, plainSightings };
    const late = put(sleepy, new VersionedKeys(options), KEY, 'late');
    await sleepy.asleep;
    const marker = { nullVersion: false };
    await put(store, gatewayOn(store), KEY, 'other');
    await gatewayOn(store).createDeleteMarker(CALL, KEY, marker);
    expect(await read(store, KEY)).to.equal(undefined);
    sleepy.wake();
    await late;
    expect(await read(store, KEY)).to.equal(undefined);
  });

  it('leaves none where creations have a time of their own, as with an older filter', async () => {
    const memory = new MemoryBackend({ strength: 'ordered', creationsUnordered: true });
    await memory.createContainer(CALL, CONTAINER);
    const older = memory.asBackend;
    const sleepy = new Sleepy(older, 'before its link');
    const late = put(sleepy, gatewayOn(sleepy), KEY, 'late');
    await sleepy.asleep;
    await gatewayOn(older).createDeleteMarker(CALL, KEY, { nullVersion: false });
    sleepy.wake();
    await late;
    expect(await read(older, KEY)).to.equal(undefined);
  });

  it('leaves no link where the deletion would be one that is forgotten at once', async () => {
    const old = await agedStore();
    const sleepy = new Sleepy(old, 'before its link');
    const late = put(sleepy, gatewayOn(sleepy), KEY, 'late');
    await sleepy.asleep;
    await gatewayOn(old).createDeleteMarker(CALL, KEY, { nullVersion: false });
    sleepy.wake();
    await late;
    expect(await read(old, KEY)).to.equal(undefined);
  });

  it('leaves no link to what was deleted, were it to die behind its write', async () => {
    await put(store, gatewayOn(store), KEY, 'one');
    const sleepy = new Sleepy(store, 'before its link');
    const late = put(sleepy, gatewayOn(sleepy), KEY, 'late').catch(() => undefined);
    await sleepy.asleep;
    await gatewayOn(store).createDeleteMarker(CALL, KEY, { nullVersion: false });
    sleepy.wake('to die behind its write');
    await late;
    expect(await read(store, KEY)).to.equal(undefined);
  });

  it('deletes no newer link where what it has seen is old, were it to die behind that', async () => {
    const old = await agedStore();
    const sleepy = new Sleepy(old, 'before its deletion');
    const marker = { nullVersion: false };
    const late = gatewayOn(sleepy)
      .createDeleteMarker(CALL, KEY, marker)
      .catch(() => undefined);
    await sleepy.asleep;
    await put(old, gatewayOn(old), KEY, 'two');
    sleepy.wake('to die behind its write');
    await late;
    expect(await read(old, KEY)).to.equal('two');
  });

  it('leaves no link behind one that was never seen, and that nothing had replaced', async () => {
    const awake = gatewayOn(store);
    const marker = { nullVersion: false };
    const sleepy = new Sleepy(store, 'nowhere');
    const versions = gatewayOn(sleepy);
    await put(sleepy, versions, KEY, 'one');
    await awake.createDeleteMarker(CALL, KEY, marker);
    const other = new Sleepy(store, 'before its link');
    const slow = put(other, gatewayOn(other), KEY, 'slow');
    await other.asleep;
    // It remembers the link to `one`, and the index has a version behind that.
    sleepy.where = 'before its link';
    const late = put(sleepy, versions, KEY, 'late');
    await sleepy.asleep;
    await gatewayOn(store).createDeleteMarker(CALL, KEY, marker);
    sleepy.wake();
    await late;
    expect(await read(store, KEY)).to.equal(undefined);
    other.wake();
    await slow;
    expect(await read(store, KEY)).to.equal(undefined);
  });

  it('leaves no link to what was deleted by a gateway that postpones indexes', async () => {
    const sleepy = new Sleepy(store, 'before its link');
    const late = put(sleepy, gatewayOn(sleepy), KEY, 'late');
    await sleepy.asleep;
    const versions = postponingGatewayOn(store);
    await versions.repairLink(CALL, KEY);
    expect(await read(store, KEY)).to.equal('late');
    await versions.createDeleteMarker(CALL, KEY, { nullVersion: false });
    expect(await read(store, KEY)).to.equal(undefined);
    sleepy.wake();
    await late;
    expect(await read(store, KEY)).to.equal(undefined);
  });

  it('puts no link over those whose index was postponed', async () => {
    const sleepy = new Sleepy(store, 'before its link');
    const late = put(sleepy, gatewayOn(sleepy), KEY, 'late');
    await sleepy.asleep;
    const versions = postponingGatewayOn(store);
    await versions.repairLink(CALL, KEY);
    await put(store, versions, KEY, 'two');
    await put(store, versions, KEY, 'three');
    sleepy.wake();
    await late;
    expect(await read(store, KEY)).to.equal('three');
    expect(await bodiesOf(store, gatewayOn(store), KEY)).to.deep.equal(['three', 'two', 'late']);
  });

  it('puts no link of its own time over those whose index was postponed', async () => {
    const old = await agedStore();
    // Both have seen the old link, behind which nothing can be put.
    const other = new Sleepy(old, 'before its link');
    const postponing = postponingGatewayOn(other);
    const two = put(other, postponing, KEY, 'two');
    await other.asleep;
    const sleepy = new Sleepy(old, 'before its link');
    const late = put(sleepy, gatewayOn(sleepy), KEY, 'late');
    await sleepy.asleep;
    other.wake();
    await two;
    await put(other, postponing, KEY, 'three');
    sleepy.wake();
    await late;
    expect(await read(old, KEY)).to.equal('three');
  });

  for (const [what, texts] of [
    ['acknowledges nothing in a bucket that was deleted and made again', []],
    ['acknowledges nothing where others have written the key there since', ['two', 'three']],
  ] as const) {
    it(what, async () => {
      const sleepy = new Sleepy(store, 'nowhere');
      const versions = postponingGatewayOn(sleepy);
      await put(sleepy, versions, KEY, 'one');
      const others = gatewayOn(store);
      const { entries } = await others.readIndex(CALL, KEY);
      for (const { id } of entries) await others.deleteVersion(CALL, KEY, id, () => undefined);
      await store.deleteObject(CALL, indexRef(KEY));
      await store.deleteObject(CALL, fenceRef(KEY, 2));
      sleepy.where = 'before its link';
      const late = put(sleepy, versions, KEY, 'late').catch((thrown: unknown) => thrown);
      await sleepy.asleep;
      for (const text of texts) await put(store, gatewayOn(store), KEY, text);
      sleepy.wake();
      expect(await late)
        .to.be.instanceOf(S3Error)
        .with.property('code', 'ServiceUnavailable');
      await put(store, gatewayOn(store), KEY, 'again');
      const expected = ['again', ...texts.toReversed()];
      expect(await bodiesOf(store, gatewayOn(store), KEY)).to.deep.equal(expected);
    });
  }

  it('puts no link over an object that a client of the store has written', async () => {
    const versions = gatewayOn(store);
    await put(store, versions, KEY, 'one');
    await putPlain(store, KEY, 'past us');
    await put(store, versions, KEY, 'two');
    expect(await read(store, KEY)).to.equal('two');
    // When it was written is not known to the one that did not look: before, or after.
    expect(await bodiesOf(store, versions, KEY)).to.have.members(['two', 'null past us', 'one']);
  });

  it('finds a version that it does not remember', async () => {
    const versions = gatewayOn(store);
    await put(store, versions, KEY, 'one');
    const { versionId } = await put(store, gatewayOn(store), KEY, 'two');
    const deleted = await versions.deleteVersion(CALL, KEY, versionId, () => undefined);
    expect(deleted).to.not.equal('absent');
    expect(await read(store, KEY)).to.equal('one');
  });

  it('refuses nothing by an index that is not the latest', async () => {
    const versions = gatewayOn(store);
    const { versionId, etag } = await put(store, versions, KEY, 'one');
    const others = gatewayOn(store);
    await others.deleteVersion(CALL, KEY, versionId, () => undefined);
    // As this gateway remembers it, the key is there.
    await put(store, versions, KEY, 'two', { nullVersion: false, condition: { absent: true } });
    const stale = { nullVersion: false, condition: { etag } };
    const refused = await put(store, others, KEY, 'three', stale).catch((e: unknown) => e);
    expect(refused).to.be.instanceOf(S3Error).with.property('code', 'PreconditionFailed');
    expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['two']);
  });
});

/** Longer than deletions are remembered. */
const AGE_MS = 10 * 86_400_000;

/** A store whose key was written so long ago that nothing can be put behind that. */
async function agedStore(): Promise<Backend> {
  const memory = new MemoryBackend({ strength: 'ordered', time: Date.now() - AGE_MS });
  await memory.createContainer(CALL, CONTAINER);
  await put(memory.asBackend, gatewayOn(memory.asBackend), KEY, 'one');
  memory.pass(AGE_MS);
  return memory.asBackend;
}
