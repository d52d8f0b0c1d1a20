import { createHash } from 'node:crypto';
import http from 'node:http';
import { expect } from 'chai';
import { codeOf, type ConsoleClient } from '../support/client.js';
import { startTestBed, type TestBed } from '../support/console.js';
import {
  download,
  EDGE_NAMES,
  job,
  list,
  makeContainer,
  ok,
  query,
  upload,
  type Listed,
} from './support.js';

const CONTAINER = '☃+ c';

describe('console files', () => {
  let bed: TestBed;
  let client: ConsoleClient;

  before(async () => {
    bed = await startTestBed({ segment_bytes: 1024 * 1024, max_upload_bytes: 4 * 1024 * 1024 });
    client = await bed.login();
    await makeContainer(client, CONTAINER);
  });

  after(() => bed.close());

  const names = async (container: string) =>
    (await list(client, container, { delimiter: '' })).items.map((item) => item.name);
  const trash = async (container: string) =>
    (await ok(client.get(`/api/files/trash?${query({ container })}`))).json() as unknown as {
      items: { trash_name: string; name: string }[];
    };

  it('takes edge names through upload, listing, download, trash and restore', async () => {
    for (const name of EDGE_NAMES)
      await ok(upload(client, CONTAINER, name, `body of ${name}`), 201);
    const sorted = [...EDGE_NAMES].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(await names(CONTAINER)).to.deep.equal(sorted);
    for (const name of EDGE_NAMES) {
      expect((await ok(download(client, CONTAINER, name), 200)).text).to.equal(`body of ${name}`);
    }
    const gone = await job(client, '/api/files/delete', {
      container: CONTAINER,
      names: EDGE_NAMES,
      mode: 'trash',
    });
    expect(gone.result).to.include({ succeeded: EDGE_NAMES.length, failed: 0 });
    expect(await names(CONTAINER)).to.deep.equal([]);
    const { items } = await trash(CONTAINER);
    const back = await job(client, '/api/files/trash/restore', {
      container: CONTAINER,
      trash_names: items.map((item) => item.trash_name),
    });
    expect(back.result).to.include({ succeeded: EDGE_NAMES.length, failed: 0 });
    expect(await names(CONTAINER)).to.deep.equal(sorted);
    for (const name of EDGE_NAMES) {
      expect((await ok(download(client, CONTAINER, name), 200)).text).to.equal(`body of ${name}`);
    }
    expect((await trash(CONTAINER)).items).to.deep.equal([]);
  });

  it('restores metadata and no expiry, and refuses what is there again', async () => {
    await makeContainer(client, 'meta');
    await ok(upload(client, 'meta', 'o', 'one', { type: 'text/x-thing' }), 201);
    const place = { container: 'meta', name: 'o' };
    await ok(
      client.send('PATCH', '/api/files/object', {
        body: { ...place, meta: { colour: 'grün ja' } },
      }),
      204,
    );
    await job(client, '/api/files/delete', { container: 'meta', names: ['o'], mode: 'trash' });
    await ok(upload(client, 'meta', 'o', 'two'), 201);
    const [entry] = (await trash('meta')).items;
    const restore = (choice: string) =>
      job(client, '/api/files/trash/restore', {
        container: 'meta',
        trash_names: [entry!.trash_name],
        on_conflict: choice,
      });
    expect((await restore('fail')).result.failures).to.deep.equal([
      { name: entry!.trash_name, code: 'restore_target_exists' },
    ]);
    expect((await restore('replace')).result.succeeded).to.equal(1);
    const info = (await ok(client.get(`/api/files/object?${query(place)}`))).json() as object;
    expect(info).to.deep.include({
      type: 'object',
      content_type: 'text/x-thing',
      delete_at_unix_s: null,
      meta: { colour: 'grün ja' },
    });
  });

  it('lets nobody but those who manage purge', async () => {
    const member = await bed.login('tester2', 'testing2');
    const body = { container: 'meta', names: ['o'], mode: 'purge' };
    expect(codeOf(await member.post('/api/files/delete', body))).to.equal('forbidden');
  });

  it('pages forward and back in a stable order, and folds folders', async () => {
    await makeContainer(client, 'pages');
    for (const name of ['a/1', 'a/2', 'b', 'c/1', 'd', 'e']) {
      await ok(upload(client, 'pages', name, 'x'), 201);
    }
    const shown = (page: Listed) => page.items.map((item) => item.display);
    const first = await list(client, 'pages', { limit: 2 });
    expect(shown(first)).to.deep.equal(['a/', 'b']);
    const second = await list(client, 'pages', { limit: 2, marker: first.next_marker! });
    expect(shown(second)).to.deep.equal(['c/', 'd']);
    const back = await list(client, 'pages', {
      limit: 2,
      reverse: 1,
      marker: second.previous_marker!,
    });
    expect(shown(back)).to.deep.equal(['a/', 'b']);
    expect(shown(await list(client, 'pages', { prefix: 'a/' }))).to.deep.equal(['1', '2']);
  });

  it('searches within limits, and says how far it came', async () => {
    const search = async (body: object) =>
      (await ok(client.post('/api/files/search', { container: 'pages', ...body }))).text
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
    const again = await upload(client, 'pages', 'b', 'y');
    expect([again.status, codeOf(again)]).to.deep.equal([412, 'exists']);
    await ok(upload(client, 'pages', 'b', 'y', { overwrite: '1' }), 201);
    const large = await client
      .send('PUT', `/api/files/object/body?${query({ container: 'pages', name: 'z' })}`, {
        headers: {
          'content-type': 'application/octet-stream',
          'content-length': '4194305',
          expect: '100-continue',
        },
      })
      .catch(() => undefined);
    expect(large === undefined || codeOf(large) === 'too_large').to.equal(true);
    expect(await names('pages')).not.to.include('z');
  });

  it('sends objects so that no browser runs them', async () => {
    await ok(
      upload(client, 'pages', 'evil.html', '<script>1</script>', { type: 'text/html' }),
      201,
    );
    await ok(upload(client, 'pages', 'pic.png', 'png', { type: 'image/png' }), 201);
    const shown = (name: string) =>
      client.get(
        `/api/files/object/body?${query({ container: 'pages', name, disposition: 'inline' })}`,
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
  });

  it('copies and moves objects and folders', async () => {
    await makeContainer(client, 'target');
    const copied = await job(client, '/api/files/copy', {
      container: 'pages',
      to_container: 'target',
      items: [
        { name: 'a/', to_name: 'new/' },
        { name: 'b', to_name: 'b' },
      ],
    });
    expect(copied.result.succeeded).to.equal(3);
    await job(client, '/api/files/move', {
      container: 'target',
      to_container: 'target',
      items: [{ name: 'new/1', to_name: 'moved' }],
    });
    expect(await names('target')).to.deep.equal(['b', 'moved', 'new/2']);
  });

  it('uploads in segments, and goes on where it was', async () => {
    await makeContainer(client, 'large');
    const body = Buffer.alloc(2.5 * 1024 * 1024, 'abcdefg');
    const file = {
      container: 'large',
      name: 'd/big',
      size_bytes: body.length,
      mtime_ms: 1,
      fingerprint: 'a'.repeat(16),
    };
    const begin = async () =>
      (await ok(client.post('/api/files/uploads', file))).json() as {
        segments: number;
        segment_bytes: number;
        present: number[];
      };
    const plan = await begin();
    expect(plan).to.deep.equal({ segments: 3, segment_bytes: 1024 * 1024, present: [] });
    const send = (index: number) => {
      const part = body.subarray(index * plan.segment_bytes, (index + 1) * plan.segment_bytes);
      return client.send('PUT', `/api/files/uploads/segment?${query({ ...file, index })}`, {
        body: part,
        headers: {
          'content-type': 'application/octet-stream',
          'content-length': String(part.length),
        },
      });
    };
    await ok(send(0), 201);
    await ok(send(2), 201);
    expect((await begin()).present).to.deep.equal([0, 2]);
    expect((await client.post('/api/files/uploads/finish', file)).status).to.equal(409);
    await ok(send(1), 201);
    await ok(client.post('/api/files/uploads/finish', file), 201);
    const got = await ok(download(client, 'large', 'd/big'), 200);
    expect(createHash('md5').update(got.bytes).digest('hex')).to.equal(
      createHash('md5').update(body).digest('hex'),
    );
    const info = (
      await ok(client.get(`/api/files/object?${query({ container: 'large', name: 'd/big' })}`))
    ).json() as object;
    expect(info).to.include({ type: 'slo', bytes: body.length });
    await job(client, '/api/files/delete', { container: 'large', names: ['d/big'], mode: 'trash' });
    const [entry] = (await trash('large')).items;
    const back = await job(client, '/api/files/trash/restore', {
      container: 'large',
      trash_names: [entry!.trash_name],
    });
    expect(back.result.succeeded).to.equal(1);
    expect((await ok(download(client, 'large', 'd/big'), 200)).bytes.equals(body)).to.equal(true);
  });

  it('makes TempURLs that the store takes', async () => {
    for (const name of ['b', 'ü ☃?#%25&+=.txt']) {
      const container = name === 'b' ? 'pages' : CONTAINER;
      const made = (await ok(client.post('/api/files/tempurl', { container, name }))).json() as {
        url_path: string;
      };
      const status = await new Promise((resolve, reject) => {
        http
          .get(
            { host: '127.0.0.1', port: new URL(bed.api.origin).port, path: made.url_path },
            (response) => {
              response.resume();
              resolve(response.statusCode);
            },
          )
          .on('error', reject);
      });
      expect(status).to.equal(200);
    }
  });

  it('keeps who may read and write a container', async () => {
    const acl = { name: 'pages', read: '.r:*,.rlistings', write: 'test:tester2' };
    await ok(client.send('PUT', '/api/files/acl', { body: acl }), 204);
    expect((await ok(client.get('/api/files/acl?name=pages'))).json()).to.deep.equal({
      read: acl.read,
      write: acl.write,
    });
  });

  it('names its errors, and shows nothing of the store', async () => {
    const missing = await client.get(`/api/files/objects?${query({ container: 'none' })}`);
    expect([missing.status, codeOf(missing)]).to.deep.equal([404, 'no_such_container']);
    const full = await client.send('DELETE', '/api/files/container?name=pages');
    expect(codeOf(full)).to.equal('container_not_empty');
    const long = await upload(client, 'pages', 'x'.repeat(1025), 'x');
    expect(long.status).to.equal(400);
    const shown = [missing, full, long, await client.get('/api/files/containers')];
    for (const { text, headers } of shown) {
      const all = text + JSON.stringify(headers);
      expect(all).not.to.include('AUTH_test').and.not.to.include(bed.api.origin.slice(7));
    }
  });
});
