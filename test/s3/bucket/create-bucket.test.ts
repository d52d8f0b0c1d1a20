import { expect } from 'chai';
import type { Backend, CallContext, ContainerRef } from '../../../src/backend/backend.js';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { BackendError } from '../../../src/backend/errors.js';
import { createBucket } from '../../../src/s3/bucket/create-bucket.js';
import { S3Error } from '../../../src/s3/errors.js';
import { useEach } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { contextOf } from '../context.js';

const CALL: CallContext = { requestId: 'create-bucket' };
const BUCKET = { account: 'AUTH_main', container: 'bucket' };
const FIRST = '8a5b1a52-19a7-4d8e-9b0c-0c6c3f4a2e11';
const OTHER = '1d0c9e4f-7b33-4c0a-8a67-5f2f0c1b9d22';

describe('CreateBucket on a store that does it and answers 503', () => {
  const directory = useTempFolder('create-bucket');
  const store = useEach<Backend>(() => openEmbeddedStore({ directory: directory() }), 'close');

  interface Try {
    readonly requestId: string;
    readonly invocation?: string;
    /** Calls that are carried out, or not, and fail. */
    readonly done?: readonly (keyof Backend)[];
    readonly refused?: readonly (keyof Backend)[];
  }

  async function create({ requestId, invocation, done = [], refused = [] }: Try): Promise<string> {
    const headers = {
      'x-amz-acl': 'public-read',
      ...(invocation === undefined ? {} : { 'amz-sdk-invocation-id': invocation }),
    };
    const failing = new Proxy(store(), {
      get(target, name: keyof Backend) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const { container } = args[1] as ContainerRef;
          // The container of parts is not there, and nobody fails to say so.
          if (container !== BUCKET.container) return Reflect.apply(value, target, args) as unknown;
          if (!refused.includes(name)) {
            const answer: unknown = await Reflect.apply(value, target, args);
            if (!done.includes(name)) return answer;
          }
          throw new BackendError('Unavailable', `${name} was answered 503`);
        };
      },
    });
    const services = { backend: failing };
    const parts = { call: { requestId } };
    const own = contextOf({ request: 'PUT /bucket', headers, backend: {}, services, parts });
    try {
      return String((await createBucket(own)).status);
    } catch (error) {
      if (error instanceof S3Error || error instanceof BackendError) return error.code;
      throw error;
    }
  }

  it('finds its own bucket, and answers 200', async () => {
    expect(await create({ requestId: 'one', done: ['createContainer'] })).to.equal('200');
    expect((await store().headContainer(CALL, BUCKET)).acl.read).to.equal('.r:*,.rlistings');
    expect(await create({ requestId: 'two' })).to.equal('BucketAlreadyOwnedByYou');
  });

  it('is told 200 by the next try of the same call, and by no other', async () => {
    const away = { done: ['createContainer'], refused: ['updateContainer'] } as const;
    const first = await create({ requestId: 'one', invocation: FIRST, ...away });
    expect(first).to.equal('Unavailable');
    const other = await create({ requestId: 'two', invocation: OTHER });
    expect(other).to.equal('BucketAlreadyOwnedByYou');
    expect(await create({ requestId: 'three' })).to.equal('BucketAlreadyOwnedByYou');
    expect(await create({ requestId: 'four', invocation: FIRST })).to.equal('200');
  });

  it('answers 503 where nothing was created, and can be tried again', async () => {
    const first = await create({ requestId: 'one', refused: ['createContainer'] });
    expect(first).to.equal('Unavailable');
    expect(await create({ requestId: 'two' })).to.equal('200');
  });

  it('does not take the bucket of another creator for its own', async () => {
    expect(await create({ requestId: 'one' })).to.equal('200');
    const other = await create({ requestId: 'one', invocation: OTHER });
    expect(other).to.equal('BucketAlreadyOwnedByYou');
    const forged = await create({ requestId: 'two', invocation: 'one' });
    expect(forged).to.equal('BucketAlreadyOwnedByYou');
  });
});
