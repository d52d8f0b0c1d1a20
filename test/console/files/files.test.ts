import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import { IS_CLUSTER } from '../../support/stack.js';
import { codeOf, expectRefused } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import {
  bringBack,
  change,
  download,
  fileOf,
  job,
  list,
  listTrash,
  makeContainer,
  ok,
  putSegment,
  query,
  throwAway,
  unique,
  upload,
  type Listed,
} from './support.js';

const MIB = 1024 ** 2;
const PAGES = unique('pages');
const META = unique('meta');
const TARGET = unique('target');
const LARGE = unique('large');

describe('console files', () => {
  const bed = useOnce(
    () => startTestBed({ segment_bytes: MIB, max_upload_bytes: 4 * MIB }),
    'close',
  );
  const client = useOnce(() => bed().login());

  before(async () => {
    for (const name of [PAGES, META, TARGET, LARGE]) await makeContainer(client(), name);
  });

  const names = async (container: string) =>
    (await list(client(), container, { delimiter: '' })).items.map((item) => item.name);
  it('restores metadata and no expiry, and refuses what is there again', async () => {
    await ok(upload(client(), META, 'o', 'one', { type: 'text/x-thing' }), 201);
    const place = { container: META, name: 'o' };
    await ok(change(client(), 'object', { ...place, meta: { colour: 'grün ja' } }), 204);
    await throwAway(client(), META, 'o');
    await ok(upload(client(), META, 'o', 'two'), 201);
    const [entry] = await listTrash(client(), META);
    const restore = (choice: string) =>
      job(client(), '/api/files/trash/restore', {
        container: META,
        trash_names: [entry!.trash_name],
        on_conflict: choice,
      });
    const [failure] = (await restore('fail')).result.failures;
    expect(failure).to.include({ name: entry!.trash_name, code: 'restore_target_exists' });
    expect((await restore('replace')).result.succeeded).to.equal(1);
    const info = await client().read<object>(`/api/files/object?${query(place)}`);
    expect(info).to.deep.include({
      type: 'object',
      content_type: 'text/x-thing',
      delete_at_unix_s: null,
      meta: { colour: 'grün ja' },
    });
  });

  it('lets only managers purge', async () => {
    const member = await bed().login('tester2', 'testing2');
    const body = { container: META, names: ['o'], mode: 'purge' };
    expect(codeOf(await member.post('/api/files/delete', body))).to.equal('forbidden');
  });

  it('pages forward and back in a stable order, and folds folders', async () => {
    for (const name of ['a/1', 'a/2', 'b', 'c/1', 'd', 'e']) {
      await ok(upload(client(), PAGES, name, 'x'), 201);
    }
    const shown = (page: Listed) => page.items.map((item) => item.display);
    const first = await list(client(), PAGES, { limit: 2 });
    expect(shown(first)).to.deep.equal(['a/', 'b']);
    const second = await list(client(), PAGES, { limit: 2, marker: first.next_marker! });
    expect(shown(second)).to.deep.equal(['c/', 'd']);
    const back = await list(client(), PAGES, {
      limit: 2,
      reverse: 1,
      marker: second.previous_marker!,
    });
    expect(shown(back)).to.deep.equal(['a/', 'b']);
    expect(shown(await list(client(), PAGES, { prefix: 'a/' }))).to.deep.equal(['1', '2']);
  });

  it('searches within limits, and says how far it came', async () => {
    const search = async (body: object) =>
      (await ok(client().post('/api/files/search', { container: PAGES, ...body }))).text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { name?: string; scanned?: number });
    expect((await search({ q: '1' })).map((hit) => hit.name ?? hit.scanned)).to.deep.equal([
      'a/1',
      'c/1',
      6,
    ]);
    expect(
      (await search({ q: 'c*', mode: 'glob' })).map((hit) => hit.name ?? hit.scanned),
    ).to.deep.equal(['c/1', 6]);
  });

  it('does not overwrite unless told to, and refuses what is too large before it is sent', async () => {
    await expectRefused(upload(client(), PAGES, 'b', 'y'), 412, 'exists');
    await ok(upload(client(), PAGES, 'b', 'y', { overwrite: '1' }), 201);
    const large = await client()
      .send('PUT', `/api/files/object/body?${query({ container: PAGES, name: 'z' })}`, {
        headers: {
          'content-type': 'application/octet-stream',
          'content-length': '4194305',
          expect: '100-continue',
        },
      })
      .catch(() => undefined);
    expect(large === undefined || codeOf(large) === 'too_large').to.equal(true);
    expect(await names(PAGES)).not.to.include('z');
  });

  it('sends objects so that no browser runs them', async () => {
    await ok(
      upload(client(), PAGES, 'evil.html', '<script>1</script>', { type: 'text/html' }),
      201,
    );
    await ok(upload(client(), PAGES, 'pic.png', 'png', { type: 'image/png' }), 201);
    const shown = (name: string) =>
      client().get(
        `/api/files/object/body?${query({ container: PAGES, name, disposition: 'inline' })}`,
      );
    expect((await shown('evil.html')).headers).to.include({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''evil.html",
      'content-security-policy': 'sandbox',
    });
    expect((await shown('pic.png')).headers).to.include({
      'content-type': 'image/png',
      'content-disposition': "inline; filename*=UTF-8''pic.png",
    });
    await ok(upload(client(), PAGES, 'a.mp4', 'film', { type: 'video/mp4' }), 201);
    expect((await shown('a.mp4')).headers).to.include({
      'content-type': 'video/mp4',
      'content-security-policy': 'sandbox',
    });
    // Viewers run the scripts of a PDF, and do not begin in a sandbox.
    await ok(upload(client(), PAGES, 'a.pdf', '%PDF', { type: 'application/pdf' }), 201);
    const { headers } = await shown('a.pdf');
    expect(headers).to.include({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''a.pdf",
      'content-security-policy': 'sandbox',
      'x-frame-options': 'DENY',
    });
    const { headers: others } = await download(client(), PAGES, 'a.pdf');
    expect(others).to.include({
      'content-type': 'application/octet-stream',
      'content-security-policy': 'sandbox',
    });
  });

  it('copies and moves objects and folders', async () => {
    const copied = await job(client(), '/api/files/copy', {
      container: PAGES,
      to_container: TARGET,
      items: [
        { name: 'a/', to_name: 'new/' },
        { name: 'b', to_name: 'b' },
      ],
    });
    expect(copied.result.succeeded).to.equal(3);
    await job(client(), '/api/files/move', {
      container: TARGET,
      to_container: TARGET,
      items: [{ name: 'new/1', to_name: 'moved' }],
    });
    expect(await names(TARGET)).to.deep.equal(['b', 'moved', 'new/2']);
  });

  it('copies and moves no folder into itself', async () => {
    const before = await names(PAGES);
    const send = (kind: string, to: string, name: string, toName: string) =>
      client().post(`/api/files/${kind}`, {
        container: PAGES,
        to_container: to,
        items: [
          { name: 'b', to_name: 'b-too' },
          { name, to_name: toName },
        ],
      });
    for (const kind of ['copy', 'move']) {
      for (const toName of ['a/a/', 'a/deep/er/', 'a/without-slash']) {
        const refused = await send(kind, PAGES, 'a/', toName);
        await expectRefused(refused, 409, 'conflict', toName);
        expect(refused.text).to.include('into itself');
      }
    }
    expect(await names(PAGES)).to.deep.equal(before);
  });

  it('uploads in segments, and goes on where it was', async () => {
    const body = Buffer.alloc(2.5 * MIB, 'abcdefg');
    const file = fileOf(LARGE, 'd/big', body.length);
    const begin = async () =>
      (await ok(client().post('/api/files/uploads', file))).json() as {
        segments: number;
        segment_bytes: number;
        present: number[];
      };
    const plan = await begin();
    expect(plan).to.deep.equal({ segments: 3, segment_bytes: MIB, present: [] });
    const send = (index: number) => {
      const part = body.subarray(index * plan.segment_bytes, (index + 1) * plan.segment_bytes);
      return putSegment(client(), file, index, part);
    };
    await ok(send(0), 201);
    await ok(send(2), 201);
    expect((await begin()).present).to.deep.equal([0, 2]);
    expect((await client().post('/api/files/uploads/finish', file)).status).to.equal(409);
    await ok(send(1), 201);
    await ok(client().post('/api/files/uploads/finish', file), 201);
    // Whose answer got lost asks again; of another content it is told.
    await ok(client().post('/api/files/uploads/finish', file), 201);
    await ok(upload(client(), LARGE, 'd/big', 'x', { overwrite: '1' }), 201);
    await expectRefused(client().post('/api/files/uploads/finish', file), 412, 'exists');
    await ok(client().post('/api/files/uploads/finish', { ...file, overwrite: true }), 201);
    // Nobody takes the segments from under the object.
    const taken = await client().send('DELETE', `/api/files/uploads?${query(file)}`);
    expect(taken.status).to.equal(404);
    const got = await ok(download(client(), LARGE, 'd/big'), 200);
    expect(got.bytes.equals(body)).to.equal(true);
    const place = query({ container: LARGE, name: 'd/big' });
    const info = await client().read(`/api/files/object?${place}`);
    expect(info).to.include({ type: 'slo', bytes: body.length });
    await throwAway(client(), LARGE, 'd/big');
    await bringBack(client(), LARGE);
    expect((await ok(download(client(), LARGE, 'd/big'), 200)).bytes.equals(body)).to.equal(true);
  });

  it('keeps the ACLs of a container', async () => {
    const acl = { name: PAGES, read: '.r:*,.rlistings', write: 'test:tester2' };
    await ok(change(client(), 'acl', acl), 204);
    expect(await client().read(`/api/files/acl?name=${PAGES}`)).to.deep.equal({
      read: acl.read,
      write: acl.write,
    });
  });

  it('sets a quota where the store enforces it, and offers none elsewhere', async () => {
    const set = (bytes: number | null, objects: number | null) =>
      change(client(), 'quota', { name: TARGET, bytes, objects });
    const { quotas } = await client().read<{ quotas: boolean }>('/api/files/capabilities');
    expect(quotas).to.equal(IS_CLUSTER);
    if (!quotas) {
      await expectRefused(set(10, null), 501, 'unsupported_here');
      return;
    }
    const details = () => client().read<object>(`/api/files/container?${query({ name: TARGET })}`);
    await ok(set(1000, 5), 204);
    expect(await details()).to.include({ quota_bytes: 1000, quota_objects: 5 });
    const refused = await upload(client(), TARGET, 'too-large', 'x'.repeat(1001));
    await expectRefused(refused, 413, 'quota_exceeded');
    await ok(set(null, null), 204);
    expect(await details()).to.include({ quota_bytes: null, quota_objects: null });
    await ok(upload(client(), TARGET, 'too-large', 'x'.repeat(1001)), 201);
  });

  it('names its errors', async () => {
    const missing = await client().get(`/api/files/objects?${query({ container: 'none' })}`);
    await expectRefused(missing, 404, 'no_such_container');
    const full = await client().send('DELETE', `/api/files/container?name=${PAGES}`);
    expect(codeOf(full)).to.equal('container_not_empty');
    const long = await upload(client(), PAGES, 'x'.repeat(1025), 'x');
    expect(long.status).to.equal(400);
    expect((await client().get('/api/files/containers')).status).to.equal(200);
  });
});
