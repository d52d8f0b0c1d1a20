import { expect } from 'chai';
import type { CallWatch, GetObjectResult } from '../../../src/backend/backend.js';
import { watchedBackend } from '../../../src/backend/decorators/watched-backend.js';
import type { EmbeddedStore } from '../../../src/backend/embedded/index.js';
import { BackendError } from '../../../src/backend/errors.js';
import type { ImmediateReads } from '../../../src/backend/immediate-reads.js';
import { andThen } from '../../../src/lib/promises.js';
import { BUCKET, bytesOf, CONTEXT, inputOf, objectRef, seededBytes, withStore } from './support.js';
import { cancelledBy } from '../../../src/lib/cancellation.js';

const SMALL = objectRef('small');
const LARGE = objectRef('large');
const LINK = objectRef('link');
const small = seededBytes(1000, 1);
const large = seededBytes(700_000, 2);

function readsOf({ immediate }: { readonly immediate?: ImmediateReads | undefined }) {
  if (immediate === undefined) throw new Error('the store has no immediate reads');
  return immediate;
}

async function withObjects(test: (store: EmbeddedStore) => Promise<void>): Promise<void> {
  await withStore({}, async (store) => {
    await store.putObject(CONTEXT, SMALL, inputOf(small));
    await store.putObject(CONTEXT, LARGE, inputOf(large));
    await store.putLink(CONTEXT, LINK, {
      target: { container: BUCKET.container, object: SMALL.object },
      ...{ size: small.length, etag: 'link', contentType: 'a/b' },
    });
    await test(store);
  });
}

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return error instanceof BackendError ? error.code : String(error);
  }
  return 'nothing';
}

describe('embedded store: reads in the call', () => {
  it('tell of objects and links what the others tell', () =>
    withObjects(async (store) => {
      const reads = readsOf(store);
      for (const ref of [SMALL, LARGE, LINK]) {
        expect(reads.headObject(CONTEXT, ref)).to.deep.equal(await store.headObject(CONTEXT, ref));
      }
      const range = { first: 10, last: 19 };
      const found = reads.getObject(CONTEXT, LINK, range) as GetObjectResult;
      expect(found.body.source).to.deep.equal(small.subarray(10, 20));
    }));

  it('open a file by a promise', () =>
    withObjects(async (store) => {
      const found = readsOf(store).getObject(CONTEXT, LARGE);
      expect(found).to.be.instanceOf(Promise);
      expect((await bytesOf(await found)).equals(large)).to.equal(true);
    }));

  it('see what any process acknowledged before the call', () =>
    withObjects(async (store) => {
      const reads = readsOf(store);
      reads.headObject(CONTEXT, SMALL);
      await store.putObject(CONTEXT, SMALL, inputOf(small.subarray(1)));
      expect(reads.headObject(CONTEXT, SMALL).size).to.equal(small.length - 1);
      await store.deleteObject(CONTEXT, SMALL);
      expect(codeOf(() => reads.headObject(CONTEXT, SMALL))).to.equal('NoSuchObject');
    }));

  it('throw in the call what the others reject with', async () => {
    let reads: ImmediateReads | undefined;
    await withObjects((store) => {
      reads = readsOf(store);
      const elsewhere = { ...SMALL, container: 'none' };
      expect(codeOf(() => reads?.headObject(CONTEXT, elsewhere))).to.equal('NoSuchContainer');
      const missing = objectRef('missing');
      expect(codeOf(() => reads?.getObject(CONTEXT, missing))).to.equal('NoSuchObject');
      const gone = new AbortController();
      gone.abort(new Error('gone'));
      const call = { ...CONTEXT, cancellation: cancelledBy(gone.signal) };
      expect(codeOf(() => reads?.getObject(call, SMALL))).to.equal('Error: gone');
      return Promise.resolve();
    });
    expect(codeOf(() => reads?.headObject(CONTEXT, SMALL))).to.equal('Unavailable');
  });

  it('are watched like the others', () =>
    withObjects(async (store) => {
      const told: string[] = [];
      const watch: CallWatch = {
        waits: () => told.push('waits'),
        goesOn: () => told.push('goes on'),
      };
      const reads = readsOf(watchedBackend(store));
      const call = { ...CONTEXT, watch };
      reads.headObject(call, SMALL);
      expect(codeOf(() => reads.headObject(call, objectRef('missing')))).to.equal('NoSuchObject');
      expect(told).to.deep.equal(['waits', 'goes on', 'waits', 'goes on']);
      const found = reads.getObject(call, LARGE);
      expect(told).to.have.length(5);
      await andThen(found, ({ body }) => {
        body.cancel();
      });
      expect(told).to.have.length(6);
    }));
});
