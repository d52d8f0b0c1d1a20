import { expect } from 'chai';
import type { Backend, ObjectRef, PutOutcome } from '../../../src/backend/backend.js';
import { DecoratedBackend } from '../../../src/backend/decorators/decorated-backend.js';
import { S3Error } from '../../../src/s3/errors.js';
import { bodiesOf, CALL, expectInStep, gatewayOn, itOnStore, keyOf, put } from './support.js';
import { failureOf } from '../../support/failure.js';

const KEY = keyOf('k');

/**
 * SPEC.md 7.2: a persist that answers 202 is no success. Answers so for the first writes of names
 * that end like this, and writes nothing.
 */
class StaleBackend extends DecoratedBackend {
  constructor(
    inner: Backend,
    private readonly ending: RegExp,
    private left: number,
  ) {
    super(inner);
  }

  override putObject(...put: Parameters<Backend['putObject']>): Promise<PutOutcome> {
    return this.#isStale(put[1]) ? STALE : super.putObject(...put);
  }

  override putLink(...put: Parameters<Backend['putLink']>): Promise<PutOutcome> {
    return this.#isStale(put[1]) ? STALE : super.putLink(...put);
  }

  #isStale({ object }: ObjectRef): boolean {
    return this.ending.test(object) && this.left-- > 0;
  }
}

const STALE: Promise<PutOutcome> = Promise.resolve({ outcome: 'stale' });

describe('s3/versions: a write that is stale', () => {
  const writes = { fence: /g\d+\.json$/, index: /index\.json$/, link: /^k$/ };
  for (const [what, ending] of Object.entries(writes)) {
    itOnStore(`is done again, of the ${what}`, async (store) => {
      await put(store, gatewayOn(store), KEY, 'one');
      const stale = new StaleBackend(store, ending, 2);
      const versions = gatewayOn(stale);
      await put(stale, versions, KEY, 'two');
      expect(await bodiesOf(store, versions, KEY)).to.deep.equal(['two', 'one']);
      await expectInStep(store, KEY, await versions.readIndex(CALL, KEY));
    });

    itOnStore(`is never taken for a success, of the ${what}`, async (store) => {
      await put(store, gatewayOn(store), KEY, 'one');
      const stale = new StaleBackend(store, ending, Infinity);
      const refused = await failureOf(put(stale, gatewayOn(stale), KEY, 'two'), S3Error);
      expect(refused.code).to.equal('ServiceUnavailable');
      // Nobody knows: whoever comes next finds it as a whole, or not at all.
      const versions = gatewayOn(store);
      await put(store, versions, KEY, 'three');
      expect([
        ['three', 'one'],
        ['three', 'two', 'one'],
      ]).to.deep.include(await bodiesOf(store, versions, KEY));
      await expectInStep(store, KEY, await versions.readIndex(CALL, KEY));
    });
  }
});
