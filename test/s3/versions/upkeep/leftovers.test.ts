import { expect } from 'chai';
import fc from 'fast-check';
import type { Backend, ListedObject } from '../../../../src/backend/backend.js';
import {
  DecoratedBackend,
  type BackendCall,
} from '../../../../src/backend/decorators/decorated-backend.js';
import { BackendError } from '../../../../src/backend/errors.js';
import { S3Error } from '../../../../src/s3/errors.js';
import {
  currentRef,
  fenceRef,
  indexRef,
  parseArchiveName,
  versionRef,
  type VersionedKey,
} from '../../../../src/s3/versions/names.js';
import { VersionIds } from '../../../../src/s3/versions/version-entry.js';
import { VersionedKeys } from '../../../../src/s3/versions/versioned-keys.js';
import type { Leftovers } from '../../../../src/s3/versions/upkeep/leftovers.js';
import { MemoryBackend } from '../memory-backend.js';
import {
  ARCHIVE,
  archivedNames,
  bodiesOf,
  CALL,
  CONTAINER,
  ENABLED,
  expectInStep,
  gatewayOn,
  itOnStore,
  keyOf,
  put,
  putPlain,
  read,
  SUSPENDED,
} from '../support.js';
import { failureOf } from '../../../support/failure.js';

const KEY = keyOf('swept');
const STRENGTHS = ['strong', 'chained', 'ordered'] as const;

type Act = 'put' | 'put-null' | 'mark' | 'delete-newest' | 'delete-oldest' | 'prune' | 'sweep';

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.constantFrom<Act>(
    ...(['put', 'put', 'put-null', 'mark', 'delete-newest'] as const),
    ...(['delete-oldest', 'prune', 'sweep'] as const),
  ),
  { maxLength: 14 },
);

/** All that is in the archive, as if it was older than any commit under way. */
async function listed(backend: Backend): Promise<Leftovers> {
  const { entries } = await backend.listObjects(CALL, ARCHIVE, { limit: 10_000 });
  const objects = entries.flatMap((entry) => (entry.kind === 'object' ? entry.object : []));
  const isOf = (kind: string) => (object: ListedObject) =>
    parseArchiveName(object.name)?.kind === kind;
  const fences = objects.filter(isOf('fence'));
  return { generation: 0, fences, objects: objects.filter(isOf('version')) };
}

describe('s3/versions/upkeep', () => {
  for (const strength of STRENGTHS) {
    it(`changes nothing that an index names, on a ${strength} store`, () =>
      fc.assert(
        fc.asyncProperty(acts, async (history) => {
          const backend = new MemoryBackend({ strength }).asBackend;
          await backend.createContainer(CALL, CONTAINER, {});
          await backend.createContainer(CALL, ARCHIVE, {});
          for (const [at, act] of history.entries()) await run(backend, act, String(at));
          await sweep(backend);
          await sweep(backend);
          const versions = gatewayOn(backend);
          const { entries } = await versions.readIndex(CALL, KEY);
          const kept = entries.filter(({ kind }) => kind === 'version');
          expect(await archivedNames(backend, KEY)).to.have.members(kept.map(({ name }) => name));
          await put(backend, versions, KEY, 'afterwards');
          expect((await bodiesOf(backend, versions, KEY))[0]).to.equal('afterwards');
        }),
        { numRuns: 60 },
      ));
  }
});

describe('s3/versions/upkeep: repair', () => {
  const ignore = (): void => undefined;

  itOnStore(
    'keeps every version wherever it is killed and whatever is written then',
    async (store) => {
      for (let writes = 0, isWhole = false; !isWhole; writes++) {
        const key = keyOf(`killed after ${writes}`);
        await put(store, gatewayOn(store), key, 'one');
        await put(store, gatewayOn(store), key, 'two');
        await damageIndex(store, key);
        const killed = new Killed(store, writes);
        isWhole = await gatewayOn(killed)
          .upkeep.repair(CALL, key, true, ignore)
          .then(
            () => true,
            () => false,
          );
        await put(store, gatewayOn(store), key, 'three').catch(ignore);
        await gatewayOn(store).upkeep.repair(CALL, key, true, ignore);
        const bodies = await bodiesOf(store, gatewayOn(store), key);
        expect(bodies, key.key).to.include.members(['one', 'two']);
        await expectInStep(store, key, await gatewayOn(store).readIndex(CALL, key));
      }
    },
  );

  itOnStore('leaves what cannot be read where the new index would be too large', async (store) => {
    await put(store, gatewayOn(store), KEY, 'one');
    await damageIndex(store, KEY);
    const repaired = gatewayOn(store, 10).upkeep.repair(CALL, KEY, true, ignore);
    expect((await failureOf(repaired, S3Error)).code).to.equal('InvalidRequest');
    const { size } = await store.headObject(CALL, indexRef(KEY));
    expect(size).to.equal(GARBAGE.length);
  });

  itOnStore(
    'puts nothing that was never acknowledged in front of an object without versions',
    async (store) => {
      await put(store, gatewayOn(store), keyOf('another'), 'x');
      await putPlain(store, KEY, 'acknowledged');
      const { lastModified } = await store.headObject(CALL, currentRef(KEY));
      while (Date.now() <= lastModified) await new Promise(setImmediate);
      const body = Buffer.from('written by a gateway that died before its commit');
      const orphan = { size: body.length, contentType: 'text/plain', body };
      await store.putObject(CALL, versionRef(KEY, new VersionIds().mint()), orphan);
      const later = (): number => Date.now() + 86_400_000;
      const versions = new VersionedKeys({ backend: store, indexBytesMax: 1e6, now: later });
      await versions.upkeep.repair(CALL, KEY, true, ignore);
      // As a listing does with a key that is not in step.
      await versions.repairLink(CALL, KEY);
      expect(await read(store, KEY)).to.equal('acknowledged');
    },
  );
});

const GARBAGE = Buffer.from('{"format":1,"generation":');

/** The index cannot be read, and its fences are swept, as old ones are. */
async function damageIndex(store: Backend, key: VersionedKey): Promise<void> {
  const input = { size: GARBAGE.length, contentType: 'application/json', body: GARBAGE };
  await store.putObject(CALL, indexRef(key), input);
  const prefix = versionRef(key, 'index.g').object;
  const { entries } = await store.listObjects(CALL, ARCHIVE, { prefix, limit: 100 });
  for (const at of entries.keys()) await store.deleteObject(CALL, fenceRef(key, at + 1));
}

/** Fails all that changes the store, from some change on. */
class Killed extends DecoratedBackend {
  constructor(
    inner: Backend,
    private left: number,
  ) {
    super(inner);
  }

  protected override async around<T>(call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    if (call.kind === 'write' && this.left-- <= 0) throw new BackendError('Unavailable', 'killed');
    return super.around(call, proceed);
  }
}

async function run(backend: Backend, act: Act, text: string): Promise<void> {
  // A gateway that knows nothing of what was before.
  const versions = gatewayOn(backend);
  const { entries } = await versions.readIndex(CALL, KEY);
  switch (act) {
    case 'put':
      await put(backend, versions, KEY, text, ENABLED);
      return;
    case 'put-null':
      await put(backend, versions, KEY, text, SUSPENDED);
      return;
    case 'mark':
      await versions.createDeleteMarker(CALL, KEY, ENABLED);
      return;
    case 'delete-newest':
    case 'delete-oldest': {
      const entry = act === 'delete-newest' ? entries[0] : entries.at(-1);
      if (entry !== undefined) await versions.deleteVersion(CALL, KEY, entry.id, () => undefined);
      return;
    }
    case 'prune': {
      const pruned = await versions.upkeep.prune(CALL, KEY, {
        choose: (index) => index.entries.slice(1),
        mayGo: (_, { size }) => size > 0,
      });
      expect(pruned.map(({ entry }) => entry.name)).to.have.members(
        entries.slice(1).map(({ name }) => name),
      );
      return;
    }
    case 'sweep':
      return sweep(backend);
  }
}

async function sweep(backend: Backend): Promise<void> {
  const versions = gatewayOn(backend);
  const before = await versions.readIndex(CALL, KEY);
  const bodies = await bodiesOf(backend, versions, KEY);
  await versions.upkeep.removeLeftovers(CALL, KEY, await listed(backend));
  const after = await gatewayOn(backend).readIndex(CALL, KEY);
  expect(after).to.deep.equal(before);
  expect(await bodiesOf(backend, gatewayOn(backend), KEY)).to.deep.equal(bodies);
  expect(bodies).to.not.include('(gone)');
  await expectInStep(backend, KEY, after);
}
