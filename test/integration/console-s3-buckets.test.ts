import { expect } from 'chai';
import { change, job, ok, query } from '../console/files/support.js';
import { codeOf, type ConsoleClient } from '../console/support/client.js';
import { ConsoleAndS3 } from '../support/console-s3.js';
import { useOnce } from '../support/fixture.js';
import type { S3TestClient } from '../support/s3-client.js';
import { IS_CLUSTER } from '../support/stack.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { recordsOf, told } from './console-steps.js';
import { VersionSteps } from './versions/bench.js';

const DAY_S = 86_400;

interface Facts {
  readonly storage_class: string;
  readonly cold: boolean;
  readonly restored_until: string | null;
  readonly checksums: Readonly<Record<string, string>>;
}

interface Unfinished {
  readonly items: {
    name: string;
    upload_id: string;
    parts: number;
    bytes: number;
    started: string;
  }[];
  readonly next: { name: string; upload_id: string } | null;
}

/** Settings of buckets and objects that only S3 has, shown and changed by the console. */
describe('service: Files and what buckets of S3 are configured with', () => {
  const coldDir = useTempFolderOnce('cold');
  const both = useOnce(() => {
    const cold = {
      cold_storage_classes: ['GLACIER:1'],
      cold_backend: 'directory',
      cold_dir: coldDir(),
    };
    return ConsoleAndS3.start({ config: cold });
  }, 'stop');
  let client: ConsoleClient;
  let s3: S3TestClient;

  before(() => {
    ({ client, s3 } = both());
  });

  const put = (path: string, body: object) => client.send('PUT', path, { body });

  const recorded = (target: string) => recordsOf(both().service, target);

  /** Begins an upload in parts. @returns its id */
  const begin = (path: string) => new VersionSteps(s3).create(path);

  it('takes back a deletion, a rename and a restore, and leaves what others wrote since', async () => {
    const bucket = await both().makeBucket();
    const undo = ({ id }: { readonly id: string }) =>
      job(client, '/api/files/undo', { job_id: id });
    const codes = async (done: { readonly id: string }) =>
      (await undo(done)).result.failures.map(({ code }) => code);
    const text = async (name: string) => (await s3.get(`/${bucket}/${name}`)).text;
    for (const name of ['f/a', 'f/b']) await s3.put(`/${bucket}/${name}`, name);
    const folder = () =>
      job(client, '/api/files/delete', { container: bucket, prefixes: ['f/'], mode: 'trash' });
    expect((await undo(await folder())).result).to.include({ succeeded: 2, failed: 0 });
    expect(await text('f/a')).to.equal('f/a');

    const deleted = await folder();
    await s3.put(`/${bucket}/f/a`, 'of another');
    expect(await codes(deleted)).to.deep.equal(['restore_target_exists']);
    expect([await text('f/a'), await text('f/b')]).to.deep.equal(['of another', 'f/b']);

    const items = [{ name: 'f/b', to_name: 'f/c' }];
    const body = { container: bucket, to_container: bucket, items };
    const renamed = await job(client, '/api/files/move', body);
    await s3.put(`/${bucket}/f/c`, 'of another');
    expect(await codes(renamed)).to.deep.equal(['conflict']);
    expect([(await s3.get(`/${bucket}/f/b`)).status, await text('f/c')]).to.deep.equal([
      404,
      'of another',
    ]);

    await folder();
    const all = { container: bucket, prefixes: [''] };
    const restored = await job(client, '/api/files/versions/undelete', all);
    expect(restored.result).to.include({ failed: 0, undoable: restored.result.succeeded });
    await s3.put(`/${bucket}/f/c`, 'once more');
    expect(await codes(restored)).to.deep.equal(['conflict']);
    expect([(await s3.get(`/${bucket}/f/a`)).status, await text('f/c')]).to.deep.equal([
      404,
      'once more',
    ]);
  });

  it('makes a bucket with versions, Object Lock and a default retention at once', async () => {
    const name = `made-${Date.now().toString(36)}`;
    const wanted = { mode: 'GOVERNANCE', unit: 'days', count: 3 };
    const body = { name, object_lock: true, default_retention: wanted };
    await ok(put('/api/files/container', body), 204);
    const lock = await told(client.get(`/api/files/lock?name=${name}`));
    expect(lock).to.deep.equal({ enabled: true, default_retention: wanted });
    expect((await s3.get(`/${name}?versioning`)).text).to.include('Enabled');
    await s3.put(`/${name}/k`, 'first');
    await s3.put(`/${name}/k`, 'second.');
    const id = await begin(`/${name}/open`);
    await s3.put(`/${name}/open?partNumber=1&uploadId=${id}`, 'part');
    const sizes = {
      name,
      current: { count: 1, bytes: 7 },
      noncurrent: { count: 1, bytes: 5 },
      uploads: { count: 1, bytes: 4 },
      is_complete: true,
    };
    const shown = await told(client.post('/api/files/containers/sizes', { names: [name] }));
    expect(shown).to.deep.equal({ items: [sizes] });
    // A request that S3 refuses leaves no bucket behind.
    const other = `${name}-not`;
    const never = { ...body, name: other, default_retention: { ...wanted, count: 36_501 } };
    expect((await put('/api/files/container', never)).status).to.equal(400);
    expect((await client.get(`/api/files/container?name=${other}`)).status).to.equal(404);
  });

  it('turns Object Lock on when the name is typed, and sets what new versions begin with', async () => {
    const bucket = await both().makeBucket();
    const lock = () => told(client.get(`/api/files/lock?name=${bucket}`));
    expect(await lock()).to.deep.equal({ enabled: false, default_retention: null });
    const wanted = { mode: 'GOVERNANCE', unit: 'days', count: 2 };
    const set = (default_retention: object | null, confirm_name?: string) =>
      change(client, 'lock', { name: bucket, default_retention, confirm_name });
    expect(codeOf(await set(wanted))).to.equal('invalid_argument');
    await ok(set(wanted, bucket), 204);
    expect(await lock()).to.deep.equal({ enabled: true, default_retention: wanted });
    expect((await s3.get(`/${bucket}?object-lock`)).text).to.include('<Days>2</Days>');
    // The default may change without it, unless to what nobody can take back.
    await ok(set(null), 204);
    expect(await lock()).to.deep.equal({ enabled: true, default_retention: null });
    const strict = { mode: 'COMPLIANCE', unit: 'years', count: 1 };
    expect(codeOf(await set(strict))).to.equal('invalid_argument');
    await ok(set(strict, bucket), 204);
    expect(await lock()).to.deep.equal({ enabled: true, default_retention: strict });
    expect(codeOf(await set({ ...strict, count: 101 }, bucket))).to.equal('invalid_argument');
    // A quota is not what the lock protects; the embedded store has none.
    const quota = await change(client, 'quota', { name: bucket, bytes: 1000, objects: null });
    expect(quota.status).to.equal(IS_CLUSTER ? 204 : 501);
    const [begun, ended] = await recorded(bucket);
    expect([begun, ended]).to.deep.equal(['files.object_lock begun', 'files.object_lock ok']);
    const plain = await both().makeBucket('Off');
    const late = { name: plain, default_retention: null, confirm_name: plain };
    expect(codeOf(await change(client, 'lock', late))).to.equal('conflict');
  });

  it('sets retention and legal hold of a version, and bypasses governance when the name is typed', async () => {
    const bucket = await both().makeBucket('Locked');
    await s3.put(`/${bucket}/a`, 'first');
    await s3.put(`/${bucket}/a`, 'second');
    const [, older] = await both().versions(bucket, 'a');
    const place = { container: bucket, name: 'a', version_id: older!.id };
    const nowS = Math.floor(Date.now() / 1000);
    const retain = (retention: object | null, more: object = {}) =>
      put('/api/files/versions/retention', { ...place, retention, ...more });
    const shown = async () => {
      const properties = await told(client.get(`/api/files/versions/properties?${query(place)}`));
      return (properties as { s3: { lock_mode: string | null; legal_hold: boolean } }).s3;
    };
    const governance = { mode: 'GOVERNANCE', until_unix_s: nowS + 2 * DAY_S };
    await ok(retain(governance), 204);
    expect((await shown()).lock_mode).to.equal('GOVERNANCE');
    await ok(retain({ ...governance, until_unix_s: nowS + 3 * DAY_S }), 204);
    const shortened = await retain({ ...governance, until_unix_s: nowS + DAY_S });
    expect([shortened.status, codeOf(shortened)]).to.deep.equal([423, 'object_locked']);
    expect(codeOf(await retain(null, { bypass: true }))).to.equal('invalid_argument');
    await ok(retain(null, { bypass: true, confirm_name: 'a' }), 204);
    expect((await shown()).lock_mode).to.equal(null);

    const hold = (on: boolean) => put('/api/files/versions/legal-hold', { ...place, on });
    await ok(hold(true), 204);
    expect((await shown()).legal_hold).to.equal(true);
    const remove = (more: object = {}) =>
      client.post('/api/files/versions/delete', { ...place, confirm_name: 'a', ...more });
    // A legal hold knows no bypass.
    expect(codeOf(await remove({ bypass: true }))).to.equal('object_locked');
    await ok(hold(false), 204);
    await ok(retain(governance), 204);
    expect(codeOf(await remove())).to.equal('object_locked');
    await ok(remove({ bypass: true }), 200);
    expect((await both().versions(bucket, 'a')).map(({ bytes }) => bytes)).to.deep.equal([6]);
    const records = await recorded(`${bucket}/a`);
    expect(records).to.include.members(['files.retention denied', 'files.legal_hold ok']);
    expect(records.slice(-2)).to.deep.equal([
      'files.purge_version begun',
      'files.purge_version ok',
    ]);

    const gone = { ...place, version_id: 'f'.repeat(32), on: true };
    expect(codeOf(await put('/api/files/versions/legal-hold', gone))).to.equal('no_such_object');
  });

  it('leaves what is retained in compliance mode, for any user', async () => {
    const bucket = await both().makeBucket('Locked');
    await s3.put(`/${bucket}/a`, 'kept');
    const [version] = await both().versions(bucket, 'a');
    const place = { container: bucket, name: 'a', version_id: version!.id };
    const retention = { mode: 'COMPLIANCE', until_unix_s: Math.floor(Date.now() / 1000) + DAY_S };
    const retain = (more: object) => put('/api/files/versions/retention', { ...place, ...more });
    expect(codeOf(await retain({ retention }))).to.equal('invalid_argument');
    await ok(retain({ retention, confirm_name: 'a' }), 204);
    const bypass = { bypass: true, confirm_name: 'a' };
    expect(codeOf(await retain({ retention: null, ...bypass }))).to.equal('object_locked');
    const removed = await client.post('/api/files/versions/delete', { ...place, ...bypass });
    expect([removed.status, codeOf(removed)]).to.deep.equal([423, 'object_locked']);
    expect((await s3.get(`/${bucket}/a`)).text).to.equal('kept');
  });

  it('changes tags of buckets, objects and versions', async () => {
    const bucket = await both().makeBucket();
    await s3.put(`/${bucket}/a%20b`, 'one', { 'x-amz-tagging': 'team=red' });
    const [version] = await both().versions(bucket, 'a b');
    await s3.put(`/${bucket}/a%20b`, 'two');
    const old = { container: bucket, name: 'a b', version_id: version!.id };
    const tags = (place: Record<string, string>) =>
      told(client.get(`/api/files/tags?${query(place)}`));
    expect(await tags(old)).to.deep.equal({ tags: [{ key: 'team', value: 'red' }] });
    const object = { container: bucket, name: 'a b' };
    const given = [
      { key: 'a/b', value: '1+1=2' },
      { key: 'été', value: '' },
    ];
    await ok(change(client, 'tags', { ...object, tags: given }), 204);
    expect(await tags(object)).to.deep.equal({ tags: given });
    expect(await tags(old)).to.deep.equal({ tags: [{ key: 'team', value: 'red' }] });
    await ok(change(client, 'tags', { ...old, tags: [] }), 204);
    expect(await tags(old)).to.deep.equal({ tags: [] });
    expect(await tags({ container: bucket })).to.deep.equal({ tags: [] });
    await ok(change(client, 'tags', { container: bucket, tags: given }), 204);
    expect(await tags({ container: bucket })).to.deep.equal({ tags: given });
    const twice = { ...object, tags: [given[0], given[0]] };
    expect(codeOf(await change(client, 'tags', twice))).to.equal('invalid_argument');
    const reserved = { ...object, tags: [{ key: 'aws:x', value: '' }] };
    const refused = await change(client, 'tags', reserved);
    expect(codeOf(refused)).to.equal('invalid_argument');
    expect(refused.text).to.include('S3 rejected the request');
  });

  it('shows storage class and checksums, and restores from cold storage', async () => {
    for (const status of ['Enabled', 'Off'] as const) {
      const bucket = await both().makeBucket(status);
      const place = { container: bucket, name: 'archive' };
      const path = `/${bucket}/archive`;
      const facts = async () =>
        (await told(client.get(`/api/files/s3/object?${query(place)}`))) as Facts;
      await s3.put(path, 'hello', { 'x-amz-checksum-crc32': 'NhCmhg==' });
      expect(await facts()).to.deep.include({ storage_class: 'STANDARD', cold: false });
      expect((await facts()).checksums).to.deep.equal({ CRC32: 'NhCmhg==' });
      const early = await job(client, '/api/files/cold/restore', { ...place, days: 1 });
      expect(early.state).to.equal('failed');

      await s3.put(path, 'frozen', { 'x-amz-storage-class': 'GLACIER' });
      expect(await facts()).to.deep.include({ storage_class: 'GLACIER', cold: true });
      if (status === 'Enabled') {
        const info = await told(client.get(`/api/files/object?${query(place)}`));
        expect(info).to.include({ bytes: 6 });
        expect((info as { s3: object }).s3).to.include({ storage_class: 'GLACIER', cold: true });
      }
      const done = await job(client, '/api/files/cold/restore', { ...place, days: 2 });
      expect(done).to.deep.include({ state: 'done' });
      const open = await facts();
      expect(open).to.deep.include({ storage_class: 'GLACIER', cold: false });
      expect(Date.parse(open.restored_until ?? '')).to.be.above(Date.now());
      expect((await s3.get(path)).text).to.equal('frozen');
      expect(await recorded(`${bucket}/archive`)).to.include('files.cold_restore ok');
    }
  });

  it('lists unfinished uploads with their size, and aborts one or all that are old', async () => {
    const bucket = await both().makeBucket('Off');
    const first = await begin(`/${bucket}/dir/a`);
    const second = await begin(`/${bucket}/dir/b`);
    for (const part of [1, 2]) {
      await s3.put(`/${bucket}/dir/a?partNumber=${part}&uploadId=${first}`, 'x'.repeat(part));
    }
    const list = async (more: Record<string, string | number> = {}) => {
      const path = `/api/files/unfinished?${query({ container: bucket, ...more })}`;
      return (await told(client.get(path))) as Unfinished;
    };
    const page = await list({ limit: 1 });
    expect(page.items[0]).to.include({ name: 'dir/a', upload_id: first, parts: 2, bytes: 3 });
    expect(Date.parse(page.items[0]!.started)).to.be.closeTo(Date.now(), DAY_S * 1000);
    expect(page.next).to.deep.equal({ name: 'dir/a', upload_id: first });
    const rest = await list({ after_name: 'dir/a', after_id: first });
    expect(rest.items.map(({ name, bytes }) => [name, bytes])).to.deep.equal([['dir/b', 0]]);
    expect(rest.next).to.equal(null);

    const old = { container: bucket, prefix: 'dir/', older_than_h: 24 };
    const none = await job(client, '/api/files/unfinished/abort-old', old);
    expect(none.result).to.include({ succeeded: 0, failed: 0 });
    const one = { container: bucket, name: 'dir/b', upload_id: second };
    await ok(client.post('/api/files/unfinished/abort', one), 204);
    expect((await list()).items.map(({ name }) => name)).to.deep.equal(['dir/a']);
    expect(await recorded(`${bucket}/dir/b`)).to.deep.equal([
      'files.upload_abort begun',
      'files.upload_abort ok',
    ]);
  });
});
