import { expect } from 'chai';
import {
  BucketMeter,
  PAGE_ROWS,
  type BucketSize,
} from '../../../console/surfaces/files/bucket-size.js';
import run, { type SizeTask } from '../../../console/surfaces/files/bucket-size-thread.js';
import type { SwiftAccount } from '../../../console/swift/account.js';
import { useOnce } from '../../support/fixture.js';
import { startTestBed } from '../support/console.js';
import { askStore, change, makeContainer, ok, unique, upload, uploadSegments } from './support.js';

const SEGMENT = 1024 * 1024;
const NONE = { count: 0, bytes: 0 };

describe('console sizes of buckets', () => {
  const bed = useOnce(() => startTestBed({ segment_bytes: SEGMENT }), 'close');
  const client = useOnce(() => bed().login());
  const store = useOnce(() => askStore(bed().store));

  const sizes = async (names: readonly string[], as = client()): Promise<readonly BucketSize[]> => {
    const answer = await ok(as.post('/api/files/containers/sizes', { names }), 200);
    return (answer.json() as { items: readonly BucketSize[] }).items;
  };

  it('are of objects: large ones count with their parts, which do not count again', async () => {
    const [name, none] = [unique('sized'), unique('none')];
    await makeContainer(client(), name);
    await ok(upload(client(), name, 'small', 'four'), 201);
    const large = await uploadSegments(client(), name, 'folder/large', SEGMENT);
    expect(await sizes([name, none])).to.deep.equal([
      {
        name,
        current: { count: 2, bytes: 4 + large.length },
        noncurrent: NONE,
        uploads: NONE,
        is_complete: true,
      },
    ]);
  });

  it('count open uploads apart, and no parts whose upload has become an object', async () => {
    const name = unique('kept');
    await makeContainer(client(), name);
    const [open, done] = ['0'.repeat(32), '1'.repeat(32)];
    await store()('PUT', `${name}%2Bsegments`);
    for (const path of [`k/${open}`, `k/${open}/1`, `k/${open}/2`, `k/${done}/1`]) {
      const body = path.endsWith(open) ? '' : 'part';
      expect((await store()('PUT', `${name}%2Bsegments/${path}`, {}, body)).status).to.equal(201);
    }
    const [size] = await sizes([name]);
    expect(size).to.deep.include({ current: NONE, uploads: { count: 1, bytes: 8 } });
  });

  it('leave out what the user may not see', async () => {
    const name = unique('shared');
    await makeContainer(client(), name);
    await ok(upload(client(), name, 'o', 'four'), 201);
    const member = await bed().login('tester2', 'testing2');
    expect(await sizes([name], member)).to.deep.equal([]);
    await ok(change(client(), 'acl', { name, read: 'test:tester2', write: '' }), 204);
    await store()('PUT', `${name}%2Bsegments`);
    const [size] = await sizes([name], member);
    expect(size).to.deep.include({ current: { count: 1, bytes: 4 }, uploads: null });
  });
});

describe('console meter of buckets', () => {
  const ROW = { name: 'o', bytes: 3, hash: '', content_type: '', last_modified: '' };

  const added = (kind: SizeTask['kind'], rows: readonly object[]) => {
    const listing = Buffer.from(JSON.stringify(rows.map((row) => ({ ...ROW, ...row }))));
    return run({ task: { name: 'size', kind, listing, open: '' }, progress: null });
  };

  it('takes a link for the version that it leads to, and an index for no version', () => {
    const id = 'a'.repeat(32);
    const link = { bytes: 0, symlink_bytes: 5, symlink_path: `/v1/A/b%2Bversions/6b/${id}` };
    const other = { bytes: 0, symlink_bytes: 7, symlink_path: '/v1/A/elsewhere/o' };
    // As the embedded store lists those of the gateway.
    const plain = { content_type: 'application/symlink' };
    expect(added('objects', [link, other, plain, {}])).to.deep.include({
      found: { count: 4, bytes: 18 },
      others: { count: 2, bytes: 8 },
    });
    const names = [`6b/${id}`, '6b/index.g1.json', '6b/index.json'];
    const archive = added(
      'archive',
      names.map((name) => ({ name })),
    );
    expect(archive?.found).to.deep.equal({ count: 1, bytes: 3 });
    const marker = { content_type: 'application/x-deleted;swift_versions_deleted=1' };
    expect(added('stack', [{ is_latest: true }, {}, marker])).to.deep.include({
      found: { count: 1, bytes: 3 },
      others: { count: 1, bytes: 3 },
    });
  });

  /** A store with one bucket, whose first page is full. */
  const bucket = () => {
    const asked: string[] = [];
    let objects = 1;
    const heads = {
      do: (_statuses: unknown, _method: string, { container }: { container: string }) =>
        Promise.resolve(
          container === 'b'
            ? { status: 204, headers: { 'x-container-object-count': String(objects) } }
            : { status: 404, headers: {} },
        ),
      read: (_statuses: unknown, _method: string, { container }: { container: string }) => {
        asked.push(container);
        return Promise.resolve({ body: Buffer.from(JSON.stringify([ROW])) });
      },
    };
    const grow = () => (objects += 1);
    return { store: heads as unknown as SwiftAccount, asked, grow };
  };
  const { signal } = new AbortController();

  it('ends after some pages, and says so', async () => {
    const { store, asked } = bucket();
    const full = (task: SizeTask) =>
      Promise.resolve({ ...run({ task, progress: null })!, rows: PAGE_ROWS });
    const size = await new BucketMeter({ run: full }, 2).measure(store, 'b', signal);
    expect(size).to.deep.include({ current: { count: 2, bytes: 6 }, is_complete: false });
    expect(asked).to.deep.equal(['b', 'b']);
  });

  it('reads a bucket anew only when the store counts something else', async () => {
    const { store, asked, grow } = bucket();
    const meter = new BucketMeter({
      run: (task) => Promise.resolve(run({ task, progress: null })),
    });
    const first = await meter.measure(store, 'b', signal);
    expect(await meter.measure(store, 'b', signal)).to.equal(first);
    expect(asked).to.have.length(1);
    grow();
    await meter.measure(store, 'b', signal);
    expect(asked).to.have.length(2);
    // Another session is another user's.
    await meter.measure(bucket().store, 'b', signal);
  });
});
