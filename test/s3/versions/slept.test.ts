import { expect } from 'chai';
import { S3Error } from '../../../src/s3/s3-error.js';
import {
  archivedNames,
  bodiesOf,
  CALL,
  gatewayOn,
  keyOf,
  put,
  read,
  SUSPENDED,
  withStore,
} from './support.js';

const KEY = keyOf('a/key');

/** Requests that were told how the bucket is, slept, and went on when it was another way. */
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
});
