import { expect } from 'chai';
import type { ContainerHead } from '../../../src/backend/backend.js';
import { BucketHead } from '../../../src/s3/request/bucket-head.js';

describe('the head of the bucket of a request', () => {
  function counted() {
    const reads: string[] = [];
    const head = new BucketHead(({ newest }) => {
      reads.push(newest ? 'newest' : 'kept');
      return Promise.resolve({} as ContainerHead);
    });
    return { head, reads };
  }

  it('is read once', async () => {
    const { head, reads } = counted();
    await head.get();
    await head.get();
    await head.get({ ageMsMax: 60_000 });
    expect(reads).to.deep.equal(['kept']);
  });

  it('may be one that the listener keeps, also when it is read again for its age', async () => {
    const { head, reads } = counted();
    await head.get();
    await head.get({ ageMsMax: -1 });
    expect(reads).to.deep.equal(['kept', 'kept']);
  });

  it('is read anew where the newest is asked for, and that is the newest from then on', async () => {
    const { head, reads } = counted();
    await head.get();
    await head.get({ newest: true });
    await head.get({ newest: true });
    expect(reads).to.deep.equal(['kept', 'newest']);
  });
});
