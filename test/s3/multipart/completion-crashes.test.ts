import { expect } from 'chai';
import type { Backend } from '../../../src/backend/backend.js';
import { CrashPointBackend } from '../../support/backend/crash-points.js';
import {
  DecoratedBackend,
  type BackendCall,
} from '../../../src/backend/decorators/decorated-backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import {
  markerOf,
  partsPrefix,
  segmentsContainer,
  type Upload,
} from '../../../src/s3/segments/names.js';
import {
  ARCHIVE,
  CALL,
  ENABLED,
  gatewayOn,
  itOnStore,
  put,
  withStore,
} from '../versions/support.js';
import {
  abort,
  ABSENT,
  bodies,
  complete,
  expectCompleted,
  FAILED,
  KEY,
  prepare,
  type Told,
} from './completion-bench.js';

/** CompleteMultipartUpload in a bucket that keeps versions, where it is stopped on the way. */

const WHENS = ['before', 'after'] as const;

/** A store that is away for a number of calls, carried out or not. */
class OutageBackend extends DecoratedBackend {
  calls = 0;

  constructor(
    inner: Backend,
    private readonly outage: { from: number; calls: number; when: 'before' | 'after' },
  ) {
    super(inner);
  }

  protected override async around<T>(_: BackendCall, proceed: () => Promise<T>): Promise<T> {
    const { from, calls, when } = this.outage;
    const call = ++this.calls;
    const isAway = call >= from && call < from + calls;
    if (!isAway) return proceed();
    if (when === 'after') await proceed();
    throw new BackendError('Unavailable', `away at call ${call}`);
  }
}

/** Another client of the same key, who is done when the manifest is there and nothing committed. */
class RacedBackend extends DecoratedBackend {
  #raced = false;

  constructor(
    inner: Backend,
    private readonly store: Backend,
  ) {
    super(inner);
  }

  protected override async around<T>(call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    const answer = await proceed();
    if (call.method === 'putManifest' && !this.#raced) {
      this.#raced = true;
      await put(this.store, gatewayOn(this.store), KEY, 'winner', ENABLED);
    }
    return answer;
  }
}

/** An upload to a key whose current version is a delete marker: `If-None-Match: *` holds. */
async function prepareMarked(store: Backend): Promise<Upload> {
  const upload = await prepare(store);
  await gatewayOn(store).createDeleteMarker(CALL, KEY, ENABLED);
  return upload;
}

async function countCalls(
  run: (backend: Backend, upload: Upload, store: Backend) => Promise<unknown> = (backend, upload) =>
    complete(backend, upload),
  ready = prepare,
): Promise<number> {
  let calls = 0;
  await withStore(async (store) => {
    const upload = await ready(store);
    const counting = new CrashPointBackend(store, { counted: 'all' });
    await run(counting, upload, store);
    calls = counting.calls;
  });
  return calls;
}

/** Runs a test for each call of an operation: stopped before it, and after it was carried out. */
async function atEachCall(
  calls: number,
  test: (store: Backend, at: number, when: 'before' | 'after', where: string) => Promise<void>,
): Promise<void> {
  expect(calls).to.be.at.least(4);
  for (let at = 1; at <= calls; at++) {
    for (const when of WHENS) {
      await withStore((store) => test(store, at, when, `${when} call ${at} of ${calls}`));
    }
  }
}

describe('s3 operations: a completion that is stopped', function () {
  this.timeout(120_000);

  it('is ended by the next one when its gateway has died, with one version', async () => {
    await atEachCall(await countCalls(), async (store, at, when, where) => {
      const upload = await prepare(store);
      const crashing = new CrashPointBackend(store, { at, when, counted: 'all' });
      const first = await complete(crashing, upload);
      expect(first, where).to.deep.equal({ code: 'crashed' });
      const second = await complete(store, upload);
      await expectCompleted(store, upload, second, ['before'], where);
      expect(await complete(store, upload), where).to.deep.equal(second);
      await expectCompleted(store, upload, second, ['before'], where);
    });
  });

  it('is ended by the next one when the store was away, for one call or for all', async () => {
    const calls = await countCalls();
    for (const length of [1, calls]) {
      await atEachCall(calls, async (store, from, when, at) => {
        const where = `${at}, away for ${length}`;
        const upload = await prepare(store);
        const away = new OutageBackend(store, { from, calls: length, when });
        const first = await complete(away, upload);
        const second = await complete(store, upload);
        if (!('code' in first)) expect(second, where).to.deep.equal(first);
        else expect(first, where).to.deep.equal(FAILED);
        await expectCompleted(store, upload, second, ['before'], where);
      });
    }
  });

  it('can be aborted, and leaves nothing then', async () => {
    await atEachCall(await countCalls(), async (store, at, when, where) => {
      const upload = await prepare(store);
      await complete(new CrashPointBackend(store, { at, when, counted: 'all' }), upload);
      const aborted = await abort(store, upload);
      const left = await bodies(store);
      if ('code' in aborted) {
        // It was a version by then.
        expect(aborted, where).to.deep.equal({ code: 'NoSuchUpload' });
        expect(left, where).to.deep.equal(['part 1', 'before']);
        return;
      }
      expect(left, where).to.deep.equal(['before']);
      expect(await complete(store, upload), where).to.deep.equal({ code: 'NoSuchUpload' });
      expect(await namesOf(store, upload), where).to.deep.equal([]);
      expect(await bodies(store), where).to.deep.equal(['before']);
    });
  });

  itOnStore('that loses a race for If-None-Match leaves its upload open', async (store) => {
    const upload = await prepareMarked(store);
    const lost = await complete(new RacedBackend(store, store), upload, ABSENT);
    expect(lost).to.deep.equal({ code: 'PreconditionFailed' });
    expect(await bodies(store)).to.deep.equal(['winner', 'before']);
    await store.headObject(CALL, markerOf(upload));
    const again = await complete(store, upload, ABSENT);
    expect(again).to.deep.equal({ code: 'PreconditionFailed' });
    const second = await complete(store, upload);
    await expectCompleted(store, upload, second, ['winner', 'before'], 'second');
  });

  it('that dies after it has lost such a race is ended by the next one', async () => {
    const race = (backend: Backend, upload: Upload, store: Backend): Promise<Told> =>
      complete(new RacedBackend(backend, store), upload, ABSENT);
    await atEachCall(await countCalls(race, prepareMarked), async (store, at, when, where) => {
      const upload = await prepareMarked(store);
      const crashing = new CrashPointBackend(store, { at, when, counted: 'all' });
      await race(crashing, upload, store);
      const won = (await bodies(store)).includes('winner') ? ['winner'] : [];
      if (won.length > 0) {
        const refused = await complete(store, upload, ABSENT);
        expect(refused, where).to.deep.equal({ code: 'PreconditionFailed' });
      }
      const second = await complete(store, upload);
      await expectCompleted(store, upload, second, [...won, 'before'], where);
      expect(await complete(store, upload), where).to.deep.equal(second);
    });
  });
});

/** The names of an upload's parts, and those in the bucket's archive. */
async function namesOf(store: Backend, upload: Upload): Promise<string[]> {
  const { account, bucket, uploadId } = upload;
  const parts = await store.listObjects(CALL, segmentsContainer(account, bucket), {
    prefix: partsPrefix(upload).slice(0, -1),
    limit: 100,
  });
  const archive = await store.listObjects(CALL, ARCHIVE, { limit: 100 });
  return [...parts.entries, ...archive.entries].flatMap((entry) => {
    if (entry.kind !== 'object') return [];
    const { name, attributes } = entry.object;
    const isOfUpload = name.includes(uploadId) || Object.values(attributes).includes(uploadId);
    return isOfUpload ? [name] : [];
  });
}
