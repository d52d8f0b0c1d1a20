import { expect } from 'chai';
import { codeOf, type ConsoleClient } from '../console/support/client.js';
import {
  change,
  download,
  job,
  list,
  makeContainer,
  ok,
  query,
  upload,
} from '../console/files/support.js';
import { ConsoleAndS3 } from '../support/console-s3.js';
import type { S3TestClient } from '../support/s3-client.js';
import { recordsOf, told } from './console-steps.js';
import { expectAnswer, versioning } from './versions/bench.js';

const MEMBER = { accessKey: 'CONSOLEMEMBER', secretKey: 'console-member-secret-1234' } as const;

/** A bucket with versions has one truth: what an S3 client sees is what the console shows and does. */
describe('service: Files on buckets with S3 versions', () => {
  let both: ConsoleAndS3;
  let client: ConsoleClient;
  let s3: S3TestClient;
  let buckets = 0;

  before(async () => {
    const users = [
      { ...MEMBER, account: 'AUTH_main', role: 'owner', user: 'main:second' },
    ] as const;
    both = await ConsoleAndS3.start({ users });
    ({ client, s3 } = both);
  });

  after(() => both.stop());

  const makeBucket = (status: 'Enabled' | 'Suspended' = 'Enabled') => both.makeBucket(status);
  const versions = (container: string, name: string) => both.versions(container, name);

  const remove = (container: string, names: readonly string[], mode = 'trash') =>
    job(client, '/api/files/delete', { container, names, mode, confirm_name: names[0] });

  const status = async (path: string) => (await s3.get(path)).status;

  it('deletes with a delete marker, and S3 serves it no more', async () => {
    const bucket = await makeBucket();
    await s3.put(`/${bucket}/a.txt`, 'one');
    await s3.put(`/${bucket}/a.txt`, 'second');
    expect((await remove(bucket, ['a.txt'])).result.succeeded).to.equal(1);
    expect(await status(`/${bucket}/a.txt`)).to.equal(404);
    expect((await list(client, bucket)).items).to.deep.equal([]);
    // Nothing went to the trash.
    const records = await recordsOf(both.service, bucket);
    const deletions = records.filter((record) => /^files\.(delete|trash) /.test(record));
    expect(deletions).to.deep.equal(['files.delete begun', 'files.delete ok']);
    const all = await versions(bucket, 'a.txt');
    expect(all.map(({ deleted, bytes }) => [deleted, bytes])).to.deep.equal([
      [true, 0],
      [false, 6],
      [false, 3],
    ]);
    const path = `/api/files/versions/deleted?${query({ container: bucket })}`;
    const { items } = (await told(client.get(path))) as {
      items: { name: string; restore_id: string }[];
    };
    expect(items.map(({ name, restore_id: id }) => [name, id])).to.deep.equal([
      ['a.txt', all[1]!.id],
    ]);
    const again = await remove(bucket, ['a.txt']);
    expect(again.result.failures.map(({ code }) => code)).to.deep.equal(['no_such_object']);
    expect(await versions(bucket, 'a.txt')).to.have.length(3);
  });

  it('lists deleted objects page by page', async () => {
    const bucket = await makeBucket();
    for (const name of ['a', 'b', 'b1', 'c', 'd']) {
      await s3.put(`/${bucket}/${name}`, name);
      await s3.put(`/${bucket}/${name}`, `${name} again`);
      if (name !== 'c') await s3.delete(`/${bucket}/${name}`);
    }
    const found: string[] = [];
    let marker: string | null = '';
    let pages = 0;
    while (marker !== null) {
      const at = marker === '' ? {} : { marker };
      const path = `/api/files/versions/deleted?${query({ container: bucket, limit: 2, ...at })}`;
      const page = (await ok(client.get(path), 200)).json() as {
        items: { name: string; bytes: number; restore_id: string | null }[];
        next_marker: string | null;
      };
      for (const { name, bytes, restore_id: id } of page.items) {
        expect([bytes, id !== null], name).to.deep.equal([`${name} again`.length, true]);
        found.push(name);
      }
      marker = page.next_marker;
      pages += 1;
    }
    expect(found).to.deep.equal(['a', 'b', 'b1', 'd']);
    expect(pages).to.be.at.least(2);
  });

  it('lists the versions of an object page by page', async () => {
    const bucket = await makeBucket();
    for (const text of ['1', '22', '333', '4444', '55555']) await s3.put(`/${bucket}/v`, text);
    const sizes = [];
    for (let after = {}, truncated = true; truncated;) {
      const asked = query({ container: bucket, name: 'v', limit: 2, ...after });
      const answer = await ok(client.get(`/api/files/versions?${asked}`), 200);
      const page = answer.json() as { items: { id: string; bytes: number }[]; truncated: boolean };
      sizes.push(page.items.map(({ bytes }) => bytes));
      after = { after: page.items.at(-1)?.id ?? '' };
      ({ truncated } = page);
    }
    expect(sizes).to.deep.equal([[5, 4], [3, 2], [1]]);
  });

  it('shows the object of S3, not the link to it', async () => {
    const bucket = await makeBucket();
    const { headers } = await s3.put(`/${bucket}/dir/a.txt`, 'second', {
      'x-amz-meta-colour': 'red',
      'content-type': 'text/plain',
    });
    const path = `/api/files/object?${query({ container: bucket, name: 'dir/a.txt' })}`;
    expect((await ok(client.get(path), 200)).json()).to.deep.include({
      type: 'object',
      bytes: 6,
      etag: headers.etag!.replaceAll('"', ''),
      content_type: 'text/plain',
      meta: { colour: 'red' },
    });
    const { items } = await list(client, bucket, { prefix: 'dir/' });
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ name: 'dir/a.txt', bytes: 6 });
  });

  it('overwrites, renames and changes metadata with new versions', async () => {
    const bucket = await makeBucket();
    await ok(upload(client, bucket, 'c', 'from the console'), 201);
    expect((await s3.get(`/${bucket}/c`)).text).to.equal('from the console');
    expect(codeOf(await upload(client, bucket, 'c', 'again'))).to.equal('exists');
    await ok(upload(client, bucket, 'c', 'again', { overwrite: '1' }), 201);
    const body = { container: bucket, name: 'c', meta: { Colour: 'blue' } };
    await ok(change(client, 'object', body), 204);
    expect((await s3.head(`/${bucket}/c`)).headers['x-amz-meta-colour']).to.equal('blue');
    expect(await versions(bucket, 'c')).to.have.length(3);
    const items = [{ name: 'c', to_name: 'd' }];
    const move = { container: bucket, to_container: bucket, items };
    const moved = await job(client, '/api/files/move', move);
    expect(moved.result).to.include({ succeeded: 1, failed: 0 });
    expect(await status(`/${bucket}/c`)).to.equal(404);
    expect((await s3.get(`/${bucket}/d`)).text).to.equal('again');
    expect((await list(client, bucket)).items.map(({ name }) => name)).to.deep.equal(['d']);
  });

  it('copies between buckets with versions and containers without', async () => {
    const bucket = await makeBucket();
    const plain = `${bucket}-plain`;
    await makeContainer(client, plain);
    await ok(upload(client, plain, 'p', 'plain'), 201);
    await s3.put(`/${bucket}/v`, 'versioned', { 'x-amz-meta-colour': 'red' });
    const copy = (container: string, to: string, name: string, kind = 'copy') =>
      job(client, `/api/files/${kind}`, {
        ...{ container, to_container: to, items: [{ name, to_name: name }] },
      });
    expect((await copy(bucket, plain, 'v')).result.succeeded).to.equal(1);
    expect((await download(client, plain, 'v')).text).to.equal('versioned');
    expect((await copy(plain, bucket, 'p', 'move')).result.succeeded).to.equal(1);
    expect((await s3.get(`/${bucket}/p`)).text).to.equal('plain');
    expect((await download(client, plain, 'p')).status).to.equal(404);
    expect(await versions(bucket, 'p')).to.have.length(1);
  });

  it('restores an older version as a new one, never the current one', async () => {
    const bucket = await makeBucket();
    await s3.put(`/${bucket}/a`, 'one');
    await s3.put(`/${bucket}/a`, 'two');
    const [current, older] = await versions(bucket, 'a');
    const restore = (id: string) =>
      client.post('/api/files/versions/restore', { container: bucket, name: 'a', version_id: id });
    expect(codeOf(await restore(current!.id))).to.equal('conflict');
    await ok(restore(older!.id), 200);
    expect((await s3.get(`/${bucket}/a`)).text).to.equal('one');
    const all = await versions(bucket, 'a');
    expect(all).to.have.length(3);
    expect(all.slice(1).map(({ id }) => id)).to.deep.equal([current!.id, older!.id]);
    const body = { container: bucket, name: 'a', version_id: current!.id };
    const old = await client.get(`/api/files/versions/body?${query(body)}`);
    expect(old.text).to.equal('two');
    const properties = await client.get(`/api/files/versions/properties?${query(body)}`);
    expect(properties.json()).to.deep.include({ bytes: 3, content_type: 'binary/octet-stream' });
    await ok(client.post('/api/files/versions/delete', { ...body, confirm_name: 'a' }), 200);
    expect(await status(`/${bucket}/a?versionId=${current!.id}`)).to.equal(404);
  });

  it('leaves what Object Lock protects, says so, and records a refusal', async () => {
    const bucket = `locked-${(buckets += 1)}`;
    await s3.put(`/${bucket}`, '', { 'x-amz-bucket-object-lock-enabled': 'true' });
    const until = new Date(Date.now() + 86_400_000).toISOString();
    await s3.put(`/${bucket}/kept`, 'kept', {
      'x-amz-object-lock-mode': 'COMPLIANCE',
      'x-amz-object-lock-retain-until-date': until,
    });
    const [version] = await versions(bucket, 'kept');
    const place = { container: bucket, name: 'kept', version_id: version!.id };
    const untyped = await client.post('/api/files/versions/delete', place);
    expect([untyped.status, codeOf(untyped)]).to.deep.equal([400, 'invalid_argument']);
    const typed = { ...place, confirm_name: 'kept' };
    const refused = await client.post('/api/files/versions/delete', typed);
    expect([refused.status, codeOf(refused)]).to.deep.equal([423, 'object_locked']);
    const names = { container: bucket, names: ['kept'], mode: 'purge', confirm_name: 'kep' };
    expect(codeOf(await client.post('/api/files/delete', names))).to.equal('invalid_argument');
    const purged = await remove(bucket, ['kept'], 'purge');
    expect(purged.result.failures.map(({ code }) => code)).to.deep.equal(['object_locked']);
    expect((await s3.get(`/${bucket}/kept`)).text).to.equal('kept');
    expect(await recordsOf(both.service, `${bucket}/kept`)).to.deep.equal([
      'files.purge_version begun',
      'files.purge_version denied',
    ]);
  });

  it('empties and deletes a bucket with all its versions and unfinished uploads', async () => {
    const bucket = await makeBucket();
    for (const text of ['1', '2', '3']) await s3.put(`/${bucket}/doc.txt`, text);
    await s3.put(`/${bucket}/gone`, 'x');
    await s3.delete(`/${bucket}/gone`);
    await s3.send({ method: 'POST', path: `/${bucket}/big?uploads` });
    const wrong = await client.send('DELETE', `/api/files/container?${query({ name: bucket })}`);
    expect(codeOf(wrong)).to.equal('container_not_empty');
    const all = { name: bucket, confirm_name: bucket, remove: true };
    const done = await job(client, '/api/files/container/empty', all);
    expect(done.result).to.include({ succeeded: 6, failed: 0 });
    expect((await s3.head(`/${bucket}`)).status).to.equal(404);
  });

  it('turns versions of S3 on and off', async () => {
    const bucket = `switch-${(buckets += 1)}`;
    await makeContainer(client, bucket);
    const set = (enabled: boolean) =>
      client.send('PUT', '/api/files/versions', { body: { name: bucket, enabled } });
    const details = () => told(client.get(`/api/files/container?${query({ name: bucket })}`));
    expect(await details()).to.include({ versioning: 'none', s3: false });
    await ok(set(true), 204);
    const active = { versioning: 'gateway', versioning_active: true, s3: true };
    expect(await details()).to.include(active);
    await ok(set(false), 204);
    expect(await details()).to.include({ versioning_active: false, s3: true });
    expect((await s3.get(`/${bucket}?versioning`)).text).to.include('Suspended');
  });

  it('knows what replaces the version “null” for good', async () => {
    const bucket = await makeBucket('Suspended');
    await s3.put(`/${bucket}/n`, 'null version');
    expect((await remove(bucket, ['n'])).result.succeeded).to.equal(1);
    expect((await versions(bucket, 'n')).map(({ id, deleted }) => [id, deleted])).to.deep.equal([
      ['null', true],
    ]);
  });

  it('signs with the access key of the user who logs in by name', async () => {
    const bucket = await makeBucket();
    const second = await both.login('second', MEMBER.secretKey, 'main');
    await ok(upload(second, bucket, 'by-name', 'x'), 201);
    expect((await s3.get(`/${bucket}/by-name`)).text).to.equal('x');
    expect(await versions(bucket, 'by-name')).to.have.length(1);
  });

  const fileOf = (container: string, name: string, bytes: Buffer) => {
    const described = { size_bytes: bytes.length, mtime_ms: 1, fingerprint: '0'.repeat(16) };
    return { container, name, ...described };
  };

  /** Begins an upload, and sends its only segment. */
  async function sendSegment(file: ReturnType<typeof fileOf>, body: Buffer): Promise<void> {
    await ok(client.post('/api/files/uploads', file), 200);
    const path = `/api/files/uploads/segment?${query({ ...file, index: 0 })}`;
    const headers = {
      'content-type': 'application/octet-stream',
      'content-length': `${body.length}`,
    };
    await ok(client.send('PUT', path, { body, headers }), 201);
  }

  it('uploads in segments into one version', async () => {
    const bucket = await makeBucket();
    const bytes = Buffer.alloc(70_000, 'segments ');
    const file = fileOf(bucket, 'large.bin', bytes);
    await sendSegment(file, bytes);
    await ok(client.post('/api/files/uploads/finish', file), 201);
    // Whoever loses the answer asks again, or begins again: nothing is sent or written twice.
    await ok(client.post('/api/files/uploads/finish', file), 201);
    const again = await ok(client.post('/api/files/uploads', file), 200);
    expect(again.json()).to.deep.include({ present: [0] });
    expect((await s3.get(`/${bucket}/large.bin`)).body.equals(bytes)).to.equal(true);
    expect(await versions(bucket, 'large.bin')).to.have.length(1);
    const below = { prefix: 'large.bin/s3/', delimiter: '' };
    const { items } = await list(client, `${bucket}+segments`, below);
    expect(items.map(({ name }) => name.split('/').at(-1))).to.deep.equal(['joined']);
    await s3.put(`/${bucket}/large.bin`, 'another client');
    expect(codeOf(await client.post('/api/files/uploads/finish', file))).to.equal('conflict');
  });

  it('leaves alone the segments of a large object that was there before versions were', async () => {
    const bucket = 'the-same-file-twice';
    expect((await s3.put(`/${bucket}`, '')).status).to.equal(200);
    const bytes = Buffer.alloc(70_000, 'the same file twice ');
    const file = fileOf(bucket, 'twice.bin', bytes);
    const sendAll = async () => {
      await sendSegment(file, bytes);
      const end = { ...file, overwrite: true };
      await ok(client.post('/api/files/uploads/finish', end), 201);
    };
    await sendAll();
    expectAnswer(await s3.put(`/${bucket}?versioning`, versioning('Enabled')), 200);
    await sendAll();
    expect((await s3.get(`/${bucket}/twice.bin`)).body.equals(bytes)).to.equal(true);
    const former = await s3.get(`/${bucket}/twice.bin?versionId=null`);
    expect(former.status, former.text).to.equal(200);
    expect(former.body.equals(bytes)).to.equal(true);
  });
});
