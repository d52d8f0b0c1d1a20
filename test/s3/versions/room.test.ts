import { expect } from 'chai';
import { S3Error } from '../../../src/s3/errors.js';
import { CALL, ENABLED, gatewayOn, itOnStore, keyOf, put } from './support.js';

const KEY = keyOf('key');
const INDEX_BYTES_MAX = 2000;
const BODY = { size: 1, etag: '9dd4e461268c8034f5c8564e155c67a6', uploadId: 'upload' };

describe('s3/versions, where the index has no room', () => {
  itOnStore('does not begin what could not be begun again', async (store) => {
    const versions = gatewayOn(store, INDEX_BYTES_MAX);
    let written = 0;
    const write = (): Promise<never> => {
      written++;
      return Promise.reject(new Error('the upload is gone'));
    };
    const complete = () =>
      versions
        .createVersion(CALL, KEY, { ...ENABLED, write, unrepeatable: BODY })
        .catch((error: unknown) => error);
    expect(await complete()).to.have.property('message', 'the upload is gone');
    const full = await fill(() => put(store, versions, KEY, 'body'));
    for (const error of [full, await complete()]) {
      expect(error).to.be.instanceOf(S3Error).with.property('code', 'InvalidRequest');
    }
    expect(written).to.equal(1);
  });
});

/** @returns why it does not go on */
async function fill(once: () => Promise<unknown>): Promise<unknown> {
  for (let times = 0; times < INDEX_BYTES_MAX; times++) {
    try {
      await once();
    } catch (error) {
      return error;
    }
  }
  return undefined;
}
