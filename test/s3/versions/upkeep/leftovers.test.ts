import { expect } from 'chai';
import fc from 'fast-check';
import type { Backend, ListedObject } from '../../../../src/backend/backend.js';
import { parseArchiveName } from '../../../../src/s3/versions/names.js';
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
  keyOf,
  put,
  SUSPENDED,
} from '../support.js';

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
