import { expect } from 'chai';
import type { Backend, ObjectRef } from '../../../src/backend/backend.js';
import { S3Error } from '../../../src/s3/errors.js';
import { parseIndex } from '../../../src/s3/versions/documents.js';
import { PlainSightings } from '../../../src/s3/versions/current-state.js';
import { fenceRef, indexRef } from '../../../src/s3/versions/names.js';
import type { CreatedVersion } from '../../../src/s3/versions/create-version.js';
import { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { failureOf } from '../../support/failure.js';
import type { Stored } from './memory-objects.js';
import { type Place, Sleepy, untilAsleep } from './sleepy.js';
import {
  archivedNames,
  bodiesOf,
  CALL,
  ENABLED,
  gatewayOn,
  itOnStore,
  keyOf,
  memoryStore,
  postponingGatewayOn,
  put,
  putPlain,
  read,
  SUSPENDED,
} from './support.js';

const KEY = keyOf('a/key');

/** A PUT that comes late. @returns a function that wakes it, and waits for its end */
function putLate(
  store: Backend,
  where: Place = 'before its link',
): ReturnType<typeof untilAsleep<CreatedVersion>> {
  return untilAsleep(store, where, (sleepy) => put(sleepy, gatewayOn(sleepy), KEY, 'late'));
}

/** Requests that were told how things are, slept, and went on when they were another way. */
describe('s3/versions, of a writer that slept', () => {
  const writes = ['put', 'delete marker'] as const;
  for (const write of writes) {
    itOnStore(
      `keeps a version null that was locked from being replaced by a ${write}`,
      async (store, versions) => {
        await put(store, versions, KEY, 'before', SUSPENDED);
        // Now the bucket gets locks, which a writer that was told `Suspended` does not know.
        await versions.touchVersion(CALL, KEY, 'null', () => ({ hold: 'ON' }));
        const late =
          write === 'put'
            ? put(store, versions, KEY, 'late', SUSPENDED)
            : versions.createDeleteMarker(CALL, KEY, SUSPENDED);
        expect((await failureOf(late, S3Error)).code).to.equal('OperationAborted');
        expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['null before']);
        expect(await read(store, KEY)).to.equal('before');
        expect(await archivedNames(store, KEY), 'nothing is left of it').to.have.length(1);
      },
    );
  }

  for (const strength of ['strong', 'chained', 'ordered'] as const) {
    it(`puts no older index back when it won a fence and slept, on a ${strength} store`, async () => {
      const written: number[] = [];
      const onPut = ({ object }: ObjectRef, { body }: Pick<Stored, 'body'>): void => {
        if (object.endsWith('/index.json')) written.push(parseIndex(body).generation);
      };
      const store = (await memoryStore({ strength, onPut })).asBackend;
      const others = gatewayOn(store);
      await put(store, others, KEY, 'one');
      const wake = await putLate(store, 'behind its fence');
      await put(store, others, KEY, 'two');
      await put(store, others, KEY, 'three');
      await wake();
      // Readers would follow the fences from an older one, and write the latest again: not needed.
      expect(written).to.deep.equal(written.toSorted((one, other) => one - other));
      const inOrder = ['three', 'two', 'late', 'one'];
      expect(await bodiesOf(store, others, KEY)).to.deep.equal(inOrder);
      expect(await bodiesOf(store, gatewayOn(store), KEY)).to.deep.equal(inOrder);
    });
  }

  it('follows the fences from an older index that it puts back, on a chained store', async () => {
    const store = (await memoryStore({ strength: 'chained' })).asBackend;
    await put(store, gatewayOn(store), KEY, 'one');
    const wake = await putLate(store, 'before its index');
    await put(store, gatewayOn(store), KEY, 'two');
    await put(store, gatewayOn(store), KEY, 'three');
    await wake();
    const bodies = await bodiesOf(store, gatewayOn(store), KEY);
    expect(bodies).to.deep.equal(['three', 'two', 'late', 'one']);
    expect(await read(store, KEY)).to.equal('three');
  });
});

describe('s3/versions, of a writer that slept, where writes are ordered', () => {
  let store: Backend;

  beforeEach(async () => {
    store = (await memoryStore({ strength: 'ordered' })).asBackend;
  });

  it('puts no older link over a newer one', async () => {
    await put(store, gatewayOn(store), KEY, 'one');
    const wake = await putLate(store);
    await put(store, gatewayOn(store), KEY, 'two');
    await wake();
    expect(await read(store, KEY)).to.equal('two');
  });

  it('leaves no link to what was deleted before it was there', async () => {
    const wake = await putLate(store);
    await gatewayOn(store).createDeleteMarker(CALL, KEY, ENABLED);
    expect(await read(store, KEY)).to.equal(undefined);
    await wake();
    expect(await read(store, KEY)).to.equal(undefined);
  });

  it('leaves none where an object from before the versions was adopted in between', async () => {
    const plainSightings = new PlainSightings();
    plainSightings.note(KEY, { kind: 'nothing' });
    await putPlain(store, KEY, 'before');
    const wake = await untilAsleep(store, 'before its link', (sleepy) => {
      const options = { backend: sleepy, indexBytesMax: 100_000, plainSightings };
      return put(sleepy, new VersionedKeys(options), KEY, 'late');
    });
    await put(store, gatewayOn(store), KEY, 'other');
    await gatewayOn(store).createDeleteMarker(CALL, KEY, ENABLED);
    expect(await read(store, KEY)).to.equal(undefined);
    await wake();
    expect(await read(store, KEY)).to.equal(undefined);
  });

  it('leaves none where creations have a time of their own, as with an older filter', async () => {
    const older = (await memoryStore({ strength: 'ordered', creationsUnordered: true })).asBackend;
    const wake = await putLate(older);
    await gatewayOn(older).createDeleteMarker(CALL, KEY, ENABLED);
    await wake();
    expect(await read(older, KEY)).to.equal(undefined);
  });

  it('leaves no link where the deletion would be one that is forgotten at once', async () => {
    const old = await agedStore();
    const wake = await putLate(old);
    await gatewayOn(old).createDeleteMarker(CALL, KEY, ENABLED);
    await wake();
    expect(await read(old, KEY)).to.equal(undefined);
  });

  it('leaves no link to what was deleted, were it to die behind its write', async () => {
    await put(store, gatewayOn(store), KEY, 'one');
    const wake = await putLate(store);
    await gatewayOn(store).createDeleteMarker(CALL, KEY, ENABLED);
    await wake('to die behind its write').catch(() => undefined);
    expect(await read(store, KEY)).to.equal(undefined);
  });

  it('deletes no newer link where what it has seen is old, were it to die behind that', async () => {
    const old = await agedStore();
    const wake = await untilAsleep(old, 'before its deletion', (sleepy) =>
      gatewayOn(sleepy).createDeleteMarker(CALL, KEY, ENABLED),
    );
    await put(old, gatewayOn(old), KEY, 'two');
    await wake('to die behind its write').catch(() => undefined);
    expect(await read(old, KEY)).to.equal('two');
  });

  it('leaves no link behind one that was never seen, and that nothing had replaced', async () => {
    const sleepy = new Sleepy(store, 'nowhere');
    const versions = gatewayOn(sleepy);
    await put(sleepy, versions, KEY, 'one');
    await gatewayOn(store).createDeleteMarker(CALL, KEY, ENABLED);
    const wakeOther = await putLate(store);
    // It remembers the link to `one`, and the index has a version behind that.
    sleepy.where = 'before its link';
    const late = put(sleepy, versions, KEY, 'late');
    await sleepy.asleep;
    await gatewayOn(store).createDeleteMarker(CALL, KEY, ENABLED);
    sleepy.wake();
    await late;
    expect(await read(store, KEY)).to.equal(undefined);
    await wakeOther();
    expect(await read(store, KEY)).to.equal(undefined);
  });

  it('leaves no link to what was deleted by a gateway that postpones indexes', async () => {
    const wake = await putLate(store);
    const versions = postponingGatewayOn(store);
    await versions.repairLink(CALL, KEY);
    expect(await read(store, KEY)).to.equal('late');
    await versions.createDeleteMarker(CALL, KEY, ENABLED);
    expect(await read(store, KEY)).to.equal(undefined);
    await wake();
    expect(await read(store, KEY)).to.equal(undefined);
  });

  it('puts no link over those whose index was postponed', async () => {
    const wake = await putLate(store);
    const versions = postponingGatewayOn(store);
    await versions.repairLink(CALL, KEY);
    await put(store, versions, KEY, 'two');
    await put(store, versions, KEY, 'three');
    await wake();
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
    const wake = await putLate(old);
    other.wake();
    await two;
    await put(other, postponing, KEY, 'three');
    await wake();
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
      const late = failureOf(put(sleepy, versions, KEY, 'late'), S3Error);
      await sleepy.asleep;
      for (const text of texts) await put(store, gatewayOn(store), KEY, text);
      sleepy.wake();
      expect((await late).code).to.equal('ServiceUnavailable');
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
    const refused = await failureOf(put(store, others, KEY, 'three', stale), S3Error);
    expect(refused.code).to.equal('PreconditionFailed');
    expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['two']);
  });
});

/** Longer than deletions are remembered. */
const AGE_MS = 10 * 86_400_000;

/** A store whose key was written so long ago that nothing can be put behind that. */
async function agedStore(): Promise<Backend> {
  const memory = await memoryStore({ strength: 'ordered', time: Date.now() - AGE_MS });
  await put(memory.asBackend, gatewayOn(memory.asBackend), KEY, 'one');
  memory.pass(AGE_MS);
  return memory.asBackend;
}
