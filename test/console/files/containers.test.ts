import { expect } from 'chai';
import { parseStoreInfo } from '../../../console/swift/info.js';
import { useOnce } from '../../support/fixture.js';
import { skipBecause } from '../../support/skip.js';
import { codeOf, expectRefused } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import {
  change,
  askStore,
  download,
  job,
  list,
  makeContainer,
  ok,
  query,
  unique,
  upload,
  uploadSegments,
} from './support.js';

const SEGMENT = 1024 * 1024;
const OPEN = unique('open');
const CLOSED = unique('closed');
const FULL = unique('full');
const ONE = unique('one');
const NONE = unique('none');
const EMPTY = '/api/files/container/empty';

describe('console containers', () => {
  const bed = useOnce(() => startTestBed({ segment_bytes: SEGMENT }), 'close');
  const client = useOnce(() => bed().login());

  const details = (name: string) =>
    client().read<object>(`/api/files/container?${query({ name })}`);
  const empty = (name: string, more: object = {}) =>
    job(client(), EMPTY, { name, confirm_name: name, ...more });
  const names = async (container: string) =>
    (await list(client(), container, { delimiter: '' })).items.map((item) => item.name);

  const uploadLarge = (container: string, name: string) =>
    uploadSegments(client(), container, name, SEGMENT);

  it('tells what containers are like, one and many', async () => {
    await makeContainer(client(), OPEN);
    await makeContainer(client(), CLOSED);
    await ok(upload(client(), OPEN, 'o', 'four'), 201);
    const acl = { name: OPEN, read: '.r:*,.rlistings', write: '' };
    await ok(change(client(), 'acl', acl), 204);
    expect(await details(OPEN)).to.deep.include({
      objects: 1,
      bytes: 4,
      access: 'public',
      versioning: 'none',
      versioning_active: false,
      tempurl_keys: 0,
    });
    await ok(client().post('/api/files/tempurl', { container: OPEN, name: 'o' }), 200);
    expect(await details(OPEN)).to.include({ tempurl_keys: 1 });
    const many = await ok(
      client().post('/api/files/containers/details', { names: [OPEN, CLOSED, NONE] }),
      200,
    );
    const { items } = many.json() as { items: { name: string; access: string }[] };
    expect(items.map(({ name, access }) => `${name} ${access}`).sort()).to.deep.equal([
      `${CLOSED} private`,
      `${OPEN} public`,
    ]);
    await expectRefused(
      client().get(`/api/files/container?name=${NONE}`),
      404,
      'no_such_container',
    );
  });

  it('makes buckets that S3 clients can see, and others with consent; none twice', async () => {
    const make = (body: object) => client().send('PUT', '/api/files/container', { body });
    for (const name of ['Bad_Name!', 'silver box', 'ab', '1.2.3.4']) {
      await expectRefused(make({ name }), 400, 'bad_name', name);
    }
    const [hidden, seen] = [unique('Bad_Name!'), unique('seen')];
    await ok(make({ name: hidden, hidden_from_s3: true }), 204);
    await ok(make({ name: seen }), 204);
    const again = await make({ name: seen, quota: { bytes: 5, objects: null } });
    expect([400, 412, 501]).to.include(again.status);
    expect(await details(seen)).to.include({ quota_bytes: null });
    // Nothing is made of what cannot be made whole: this console knows no S3.
    const locked = unique('locked');
    await expectRefused(make({ name: locked, object_lock: true }), 501, 'unsupported_here');
    const missing = await client().get(`/api/files/container?name=${locked}`);
    expect(missing.status).to.equal(404);
    expect(codeOf(await make({ name: seen }))).to.equal('exists');
  });

  it('explains an ACL before it is kept, and keeps none that is malformed', async () => {
    const preview = await ok(
      client().post('/api/files/acl/preview', { read: '.r:*,.x', write: '.r:*' }),
      200,
    );
    expect(preview.json()).to.deep.include({
      read: {
        elements: [
          {
            text: '.r:*',
            words: 'Anyone can read objects at the store’s address without logging in.',
          },
        ],
        problems: ['“.x” is not a valid access rule.'],
        warnings: [],
        text: '.r:*',
      },
    });
    const bad = { name: CLOSED, read: '.x', write: '' };
    expect((await change(client(), 'acl', bad)).status).to.equal(400);
    expect(await client().read(`/api/files/acl?name=${CLOSED}`)).to.deep.equal({
      read: '',
      write: '',
    });
  });

  it('empties a container with its trash, and removes both', async () => {
    await makeContainer(client(), FULL);
    for (const name of ['a', 'b/c', 'ü ☃?#%25&+=.txt', 'a/../b', 'gone']) {
      await ok(upload(client(), FULL, name, 'x'), 201);
    }
    await job(client(), '/api/files/delete', { container: FULL, names: ['gone'], mode: 'trash' });
    await uploadLarge(FULL, 'big');
    const wrong = { name: FULL, confirm_name: 'ful' };
    await expectRefused(client().post(EMPTY, wrong), 400, 'invalid_argument');
    expect(await names(FULL)).to.have.length(5);
    const { state, result } = await empty(FULL, { remove: true, with_trash: true });
    expect([state, result.succeeded, result.failed]).to.deep.equal(['done', 6, 0]);
    for (const name of [FULL, `${FULL}+trash`]) {
      expect((await client().get(`/api/files/container?${query({ name })}`)).status).to.equal(404);
    }
    expect(await names(`${FULL}+segments`)).to.deep.equal([]);
  });

  it('lets only managers empty a container, and records it', async () => {
    const member = await bed().login('tester2', 'testing2');
    const body = { name: OPEN, confirm_name: OPEN, remove: true };
    expect(codeOf(await member.post(EMPTY, body))).to.equal('forbidden');
    const { items } = await client().read<{
      items: { action: string; target: string; result: string }[];
    }>('/api/audit?action=files.container');
    expect(items[0]).to.include({ action: 'files.container_empty', result: 'denied' });
    const removed = items.filter(({ action }) => action === 'files.container_delete');
    expect(removed.map(({ target, result }) => [target, result])).to.deep.equal([
      [FULL, 'ok'],
      [FULL, 'begun'],
    ]);
  });

  it('keeps the segments that a copy lives on, until the last of them is purged', async () => {
    await makeContainer(client(), ONE);
    const body = await uploadLarge(ONE, 'big');
    await job(client(), '/api/files/copy', {
      container: ONE,
      to_container: ONE,
      items: [{ name: 'big', to_name: 'copy' }],
    });
    const purge = (name: string) =>
      job(client(), '/api/files/delete', { container: ONE, names: [name], mode: 'purge' });
    expect((await purge('big')).result).to.include({ succeeded: 1 });
    expect((await ok(download(client(), ONE, 'copy'), 200)).bytes.equals(body)).to.equal(true);
    expect((await purge('copy')).result).to.include({ succeeded: 1 });
    expect(await names(`${ONE}+segments`)).to.deep.equal([]);
  });

  it('keeps the segments that a version lives on, where the store keeps versions', async function () {
    const kept = unique('kept');
    await makeContainer(client(), kept);
    const enabled = await client().send('PUT', '/api/files/versions', {
      body: { name: kept, enabled: true },
    });
    if (enabled.status === 501) return skipBecause(this, 'the embedded store keeps none');
    const body = await uploadLarge(ONE, 'large');
    const item = { name: 'large', to_name: 'o' };
    await job(client(), '/api/files/copy', { container: ONE, to_container: kept, items: [item] });
    await ok(upload(client(), kept, 'o', 'another', { overwrite: '1' }), 201);
    const purge = { container: ONE, names: ['large'], mode: 'purge' };
    expect((await job(client(), '/api/files/delete', purge)).result).to.include({ succeeded: 1 });
    const place = { container: kept, name: 'o' };
    const answer = await ok(client().get(`/api/files/versions?${query(place)}`), 200);
    const { items } = answer.json() as { items: { id: string; is_latest: boolean }[] };
    const former = items.find(({ is_latest: latest }) => !latest);
    const restore = { ...place, version_id: former?.id };
    await ok(client().post('/api/files/versions/restore', restore));
    expect((await ok(download(client(), kept, 'o'), 200)).bytes.equals(body)).to.equal(true);
    // Emptied, too: the versions go, and what they lived on stays.
    await empty(kept, { remove: true });
    expect(await names(`${ONE}+segments`)).to.have.length(2);
  });

  it('shows the beginning of a text, and of nothing else', async () => {
    const preview = (name: string) =>
      client().get(`/api/files/object/preview?${query({ container: ONE, name })}`);
    const long = `${'ü'.repeat(40_000)}end`;
    await ok(upload(client(), ONE, 'x.html', '<script>1</script>', { type: 'text/html' }), 201);
    await ok(upload(client(), ONE, 'long', long), 201);
    await ok(upload(client(), ONE, 'binary', Buffer.from([0xff, 0xfe, 0, 1])), 201);
    await ok(upload(client(), ONE, 'nul', 'a\0b'), 201);
    await ok(upload(client(), ONE, 'none', ''), 201);
    const html = await ok(preview('x.html'), 200);
    expect(html.text).to.equal('<script>1</script>');
    expect(html.headers).to.include({
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      'x-preview-truncated': '0',
    });
    const first = await ok(preview('long'), 200);
    expect([first.text, first.headers['x-preview-truncated']]).to.deep.equal([
      'ü'.repeat(32 * 1024),
      '1',
    ]);
    expect((await ok(preview('none'), 200)).text).to.equal('');
    for (const name of ['binary', 'nul']) {
      expect(codeOf(await preview(name)), name).to.equal('unprocessable');
    }
  });

  it('leaves a dynamic manifest what it points to when its metadata change', async () => {
    await ok(upload(client(), ONE, 'parts/1', 'first '), 201);
    await ok(upload(client(), ONE, 'parts/2', 'second'), 201);
    const ask = await askStore(bed().store);
    const made = await ask('PUT', `${ONE}/joined`, { 'x-object-manifest': `${ONE}/parts/` });
    expect(made.status).to.equal(201);
    const place = { container: ONE, name: 'joined' };
    await ok(change(client(), 'object', { ...place, meta: { a: 'b' } }), 204);
    const info = await client().read(`/api/files/object?${query(place)}`);
    expect(info).to.deep.include({
      type: 'dlo',
      meta: { a: 'b' },
      segments: `${ONE}/parts/`,
    });
    expect((await ok(download(client(), ONE, 'joined'), 200)).text).to.equal('first second');
  });

  it('says where the store keeps no versions', async () => {
    const versions = await ok(
      client().get(`/api/files/versions?${query({ container: ONE, name: 'x.html' })}`),
    );
    expect(versions.json()).to.deep.equal({
      mode: 'none',
      active: false,
      items: [],
      truncated: false,
    });
    const body = { container: ONE, name: 'x.html', version_id: 'null' };
    expect((await client().post('/api/files/versions/restore', body)).status).to.equal(501);
    const answer = await ok(client().get('/api/files/capabilities'));
    const { object_versioning: can } = answer.json() as { object_versioning: boolean };
    const enable = { name: ONE, enabled: true };
    const on = await client().send('PUT', '/api/files/versions', { body: enable });
    expect(on.status).to.equal(can ? 204 : 501);
  });

  it('takes a store at its word, and none at less', () => {
    const info = {
      swift: { policies: [{ name: 'b' }, { name: 'a', default: true }] },
      tempurl: {},
    };
    expect(parseStoreInfo(JSON.stringify(info))).to.deep.include({
      policies: ['a', 'b'],
      tempurlDigests: [],
      hasTempurl: true,
      bulkDeletesMax: 0,
      hasObjectVersioning: false,
    });
    for (const text of ['', '[]', 'null', '{"swift":{"policies":{}}}', '{"tempurl":1}']) {
      expect(parseStoreInfo(text).policies).to.deep.equal([]);
    }
  });
});
