import { expect } from 'chai';
import type { Backend } from '../../../src/backend/backend.js';
import { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { ChainedStore } from '../../support/faulty/chained-store.js';
import {
  archivedNames,
  bodiesOf,
  CALL,
  expectInStep,
  gatewayOn,
  itOnStore,
  keyOf,
  put,
} from './support.js';

const KEY = keyOf('raced');
const GATEWAYS = ['a', 'b', 'c'];
const ROUNDS = [1, 2, 3];

/** The same store, as it is and as Swift with the filter: what races.test.ts does in memory, for real. */
const STORES: Readonly<Record<string, (store: Backend) => Backend>> = {
  'an embedded store': (store) => store,
  'a store as Swift with the filter': (store) => new ChainedStore(store),
};

describe('s3/versions: gateways at once', () => {
  for (const [what, weakened] of Object.entries(STORES)) {
    itOnStore(`keep every version of a key on ${what}`, async (store) => {
      const texts = await Promise.all(
        GATEWAYS.map(async (gateway) => {
          const backend = weakened(store);
          const versions = new VersionedKeys({ backend, indexBytesMax: 100_000 });
          const written: string[] = [];
          for (const round of ROUNDS) {
            written.push(`${gateway}${round}`);
            await put(backend, versions, KEY, `${gateway}${round}`);
          }
          return written;
        }),
      );
      const backend = weakened(store);
      const versions = gatewayOn(backend);
      const bodies = await bodiesOf(backend, versions, KEY);
      expect(bodies).to.have.members(texts.flat());
      for (const written of texts) {
        const own = bodies.filter((body) => written.includes(body));
        const inOrder = 'in the order in which they were acknowledged';
        expect(own, inOrder).to.deep.equal(written.toReversed());
      }
      await expectInStep(backend, KEY, await versions.readIndex(CALL, KEY));
      expect(await archivedNames(store, KEY)).to.include.members(
        (await versions.readIndex(CALL, KEY)).entries.map(({ name }) => name),
      );
    });
  }
});
