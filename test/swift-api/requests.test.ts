import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { signatureHeaders } from '../support/swift-client.js';
import { GATEWAY_SECRET, SERVICE_USER, startApi } from './support/api.js';
import { ApiClient, type Answer, type Sent } from './support/client.js';

const ACCOUNT = '/v1/AUTH_test';
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

const CONTEXT = { requestId: 'test' };
const NEW_LINE = Buffer.from('\n');

describe('swift api', () => {
  const api = useOnce(startApi, async (api) => {
    await api.close();
    expect(api.errors).to.deep.equal([]);
  });
  const owner = useOnce(() => ApiClient.login(api(), 'test:tester', 'testing'), 'close');
  const member = useOnce(() => ApiClient.login(api(), 'test:tester2', 'testing2'), 'close');
  const stranger = useOnce(() => ApiClient.login(api(), 'test2:tester3', 'testing3'), 'close');
  const nobody = useOnce(() => new ApiClient(api().origin, undefined), 'close');
  let container: string;
  let path: string;
  let count = 0;

  beforeEach(async () => {
    container = `c${(count += 1)}`;
    path = `${ACCOUNT}/${container}`;
    expect((await owner().send('PUT', path)).status).to.equal(201);
  });

  async function put(name: string, body: Sent['body'], headers = {}): Promise<Answer> {
    return owner().send('PUT', `${path}/${name}`, { headers, body: body ?? '' });
  }

  /** As a gateway does with a bucket that gets locks. */
  async function lockBucket(): Promise<void> {
    const lock = { systemMetadata: { 's3-object-lock': 'x' } };
    await api().backend.updateContainer(CONTEXT, { account: 'AUTH_test', container }, lock);
  }

  async function createCompanion(suffix: '+versions' | '+segments'): Promise<void> {
    const ref = { account: 'AUTH_test', container: container + suffix };
    await api().backend.createContainer(CONTEXT, ref, {});
  }

  async function bulkDelete(body: string | Buffer): Promise<unknown> {
    const headers = { 'content-type': 'text/plain', accept: 'application/json' };
    const report = await owner().send('POST', `${ACCOUNT}?bulk-delete`, { body, headers });
    return JSON.parse(report.text);
  }

  it('logs in by access key or user, and refuses a wrong key', async () => {
    for (const user of ['test:tester', 'test.tester']) {
      const headers = { 'x-auth-user': user, 'x-auth-key': 'testing' };
      const { status, headers: answer } = await nobody().send('GET', '/auth/v1.0', { headers });
      expect(status).to.equal(200);
      expect(answer['x-storage-url']).to.equal(`${api().origin}${ACCOUNT}`);
    }
    const headers = { 'x-auth-user': 'test:tester', 'x-auth-key': 'testing2' };
    expect((await nobody().send('GET', '/auth/v1.0', { headers })).status).to.equal(401);
    const wrong = { headers: { 'x-auth-token': 'AUTH_tkwrong' } };
    expect((await nobody().send('GET', ACCOUNT, wrong)).status).to.equal(401);
  });

  it('lets others do what ACLs say, and tells them nothing else', async () => {
    await put('o', 'secret');
    for (const [client, status] of [
      [nobody(), 401],
      [member(), 403],
      [stranger(), 403],
    ] as const) {
      for (const target of [ACCOUNT, path, `${path}/o`, `${ACCOUNT}/none`]) {
        expect((await client.send('GET', target)).status, target).to.equal(status);
      }
      expect((await client.send('PUT', `${path}/x`, { body: 'x' })).status).to.equal(status);
    }
    const acl = { 'x-container-read': '.r:*', 'x-container-write': 'test:tester2' };
    await owner().send('POST', path, { headers: acl });
    expect((await nobody().send('GET', `${path}/o`)).text).to.equal('secret');
    expect((await nobody().send('GET', path)).status).to.equal(401);
    expect((await member().send('PUT', `${path}/x`, { body: 'x' })).status).to.equal(201);
    expect((await member().send('DELETE', path)).status).to.equal(403);
    expect((await stranger().send('PUT', `${path}/x`, { body: 'x' })).status).to.equal(403);
    const shown = (await nobody().send('HEAD', path)).headers;
    expect(shown).to.not.have.any.keys('x-container-read', 'x-container-write');
  });

  it('takes bodies of unknown length, short and long', async () => {
    const long = 'y'.repeat(3_000_000);
    expect((await put('short', ['ab', 'c'])).headers.etag).to.equal(md5('abc'));
    const stored = await put('long', [long.slice(0, 1_500_000), long.slice(1_500_000)]);
    expect(stored.status).to.equal(201);
    expect((await owner().send('GET', `${path}/long`)).text).to.equal(long);
  });

  it('stores nothing whose ETag is not the one that was announced', async () => {
    for (const body of ['x', 'x'.repeat(200_000), ['x', 'y']]) {
      expect((await put('o', body, { etag: md5('other') })).status).to.equal(422);
    }
    expect((await owner().send('HEAD', `${path}/o`)).status).to.equal(404);
  });

  it('gives ranges, several of them too', async () => {
    await put('o', 'hello world', { 'content-type': 'text/x' });
    const get = (range: string) => owner().send('GET', `${path}/o`, { headers: { range } });
    expect(await get('bytes=6-')).to.include({ status: 206, text: 'world' });
    expect((await get('bytes=99-')).headers['content-range']).to.equal('bytes */11');
    const { status, headers, text } = await get('bytes=0-1,-3');
    const boundary = /boundary=(\w+)$/.exec(headers['content-type'] ?? '')?.[1];
    expect(status).to.equal(206);
    expect(text).to.equal(
      ['0-1/11\r\n\r\nhe', '8-10/11\r\n\r\nrld']
        .map((part) => `--${boundary}\r\nContent-Type: text/x\r\nContent-Range: bytes ${part}\r\n`)
        .join('') + `--${boundary}--`,
    );
  });

  it('lists by prefix, delimiter, markers, backwards and in other formats', async () => {
    for (const name of ['a', 'b/1', 'b/2', 'c', 'd']) await put(name, 'x');
    const list = async (query: string) => (await owner().send('GET', `${path}?${query}`)).text;
    expect(await list('delimiter=/')).to.equal('a\nb/\nc\nd\n');
    expect(await list('prefix=b/&limit=1')).to.equal('b/1\n');
    expect(await list('path=b')).to.equal('b/1\nb/2\n');
    expect(await list('marker=a&end_marker=c')).to.equal('b/1\nb/2\n');
    expect(await list('reverse=on&marker=d&limit=2')).to.equal('c\nb/2\n');
    expect(await list('reverse=on&delimiter=/&end_marker=a')).to.equal('d\nc\nb/\n');
    const [first] = JSON.parse(await list('format=json&limit=1')) as Record<string, unknown>[];
    expect(first).to.include({ name: 'a', bytes: 1, hash: md5('x') });
    expect(await list('format=xml&delimiter=/&prefix=b')).to.include('<subdir name="b/">');
  });

  it('takes values whole that end beyond ASCII, and only those of the same request', async () => {
    const raw = Buffer.from('Ça ira, Zoé').toString('latin1');
    const whole = `x-object-meta-title=${encodeURIComponent('Ça ira, Zoé')}`;
    const titled = { 'x-object-meta-title': raw };
    expect((await put('o', 'x', { ...titled, 'x-whole-headers': whole })).status).to.equal(201);
    const title = (await owner().send('HEAD', `${path}/o`)).headers['x-object-meta-title'] ?? '';
    expect(Buffer.from(title, 'latin1').toString()).to.equal('Ça ira, Zoé');
    for (const other of ['x-object-meta-other=%C3%A9', `${whole}x`, 'x-object-meta-title', '%']) {
      const answer = await put('o', 'y', { ...titled, 'x-whole-headers': other });
      expect(answer.status, other).to.equal(400);
    }
    const line = { 'x-object-meta-title': 'a', 'x-whole-headers': 'x-object-meta-title=a%0D%0A' };
    expect((await put('o', 'y', line)).status).to.equal(400);
    expect((await owner().send('GET', `${path}/o`)).text).to.equal('x');
  });

  it('never tells of system metadata, nor takes any, but from a gateway', async () => {
    const sent = { 'x-object-sysmeta-a': '1', 'x-gateway-sysmeta-object-a': '1' };
    await put('o', 'x', sent);
    const ref = { account: 'AUTH_test', container, object: 'o' };
    expect((await api().backend.headObject(CONTEXT, ref)).systemMetadata).to.deep.equal({});
    await api().backend.updateObject(CONTEXT, ref, { systemMetadata: { a: 'hidden' } });
    const { headers } = await owner().send('GET', `${path}/o`);
    expect(JSON.stringify(headers)).to.not.include('hidden');
    const target = `${path}/o`;
    const wrong = signatureHeaders('another secret', 'HEAD', target);
    expect((await owner().send('HEAD', target, { headers: wrong })).status).to.equal(403);
    const gateway = await ApiClient.login(api(), SERVICE_USER.user, SERVICE_USER.key);
    const right = signatureHeaders(GATEWAY_SECRET, 'HEAD', target);
    const told = await gateway.send('HEAD', target, { headers: right });
    expect(told.headers['x-gateway-sysmeta-object-a']).to.equal('hidden');
    await gateway.close();
  });

  it('lets only a gateway write to archives and locked buckets', async () => {
    await put('o', 'x');
    await lockBucket();
    await createCompanion('+versions');
    await createCompanion('+segments');
    for (const target of [path, `${path}+versions`, `${path}+segments`]) {
      expect((await owner().send('PUT', `${target}/n`, { body: 'x' })).status).to.equal(403);
      expect((await owner().send('POST', target)).status).to.equal(403);
      expect((await owner().send('DELETE', target)).status).to.equal(403);
    }
    expect((await owner().send('DELETE', `${path}/o`)).status).to.equal(403);
    expect((await owner().send('POST', `${path}/o`)).status).to.equal(403);
    const copy = { headers: { destination: `${container}/o2` } };
    expect((await owner().send('COPY', `${path}/o`, copy)).status).to.equal(403);
    const bulk = { body: `/${container}/o\n`, headers: { 'content-type': 'text/plain' } };
    const report = await owner().send('POST', `${ACCOUNT}?bulk-delete`, bulk);
    expect(report.text).to.include('403 Forbidden').and.to.include('Number Deleted: 0');
    expect((await owner().send('GET', `${path}/o`)).text).to.equal('x');
  });

  it('lets the owner of a locked bucket change its access rules, and nothing beside', async () => {
    await lockBucket();
    await createCompanion('+segments');
    const rules = { 'x-container-read': 'test:other', 'x-container-write': 'test:other' };
    const post = async (target: string, headers: Record<string, string>) =>
      (await owner().send('POST', target, { headers })).status;
    expect(await post(path, rules)).to.equal(204);
    const { headers } = await owner().send('HEAD', path);
    expect(headers).to.include(rules);
    expect(await post(path, { 'x-remove-container-write': 'x' })).to.equal(204);
    expect((await owner().send('HEAD', path)).headers).to.not.have.property('x-container-write');
    const metadata = ['x-container-meta-a', 'x-remove-container-meta-a'];
    for (const other of [...metadata, 'x-container-sync-to']) {
      expect(await post(path, { ...rules, [other]: 'x' }), other).to.equal(403);
    }
    expect(await post(`${path}+segments`, rules)).to.equal(204);
    expect(await post(path, { 'x-remove-container-meta-temp-url-key': 'x' })).to.equal(204);
    await createCompanion('+versions');
    expect(await post(`${path}+versions`, rules)).to.equal(403);
    expect((await owner().send('PUT', path, { headers: rules })).status).to.equal(403);
    expect((await owner().send('DELETE', path, { headers: rules })).status).to.equal(403);
  });

  it('deletes nothing of a locked bucket in bulk, whatever headers come with it', async () => {
    await put('o', 'x');
    await lockBucket();
    await createCompanion('+segments');
    const body = `/${container}/o\n/${container}\n/${container}+segments\n`;
    const ways = ['x-container-read', 'x-container-write'].flatMap((name) => [
      { [name]: 'test:other' },
      { [name.replace('x-', 'x-remove-')]: 'x' },
    ]);
    for (const [method, target] of [
      ['POST', ACCOUNT],
      ['DELETE', ACCOUNT],
      ['POST', path],
      ['DELETE', path],
    ] as const) {
      for (const way of ways) {
        const headers = { ...way, 'content-type': 'text/plain' };
        const report = await owner().send(method, `${target}?bulk-delete`, { body, headers });
        const what = `${method} ${target} ${JSON.stringify(way)}`;
        expect(report.text, what).to.include('Number Deleted: 0');
      }
    }
    expect((await owner().send('GET', `${path}/o`)).text).to.equal('x');
    expect((await owner().send('HEAD', `${path}+segments`)).status).to.equal(204);
  });

  it('takes no line of a bulk deletion, and no manifest, for what it nearly is', async () => {
    await put('%EF%BF%BD', 'x');
    await put('o', 'x');
    const line = (name: Buffer) => Buffer.concat([Buffer.from(`${container}/`), name, NEW_LINE]);
    const bad = Buffer.from([0xff]);
    const body = Buffer.concat([line(bad), line(Buffer.from('%fe')), line(Buffer.from('o'))]);
    expect(await bulkDelete(body)).to.deep.equal({
      'Response Status': '400 Bad Request',
      'Response Body': '',
      'Number Deleted': 1,
      'Number Not Found': 0,
      Errors: [
        [`${container}/%FF`, '412 Precondition Failed'],
        [`${container}/%fe`, '412 Precondition Failed'],
      ],
    });
    expect((await owner().send('GET', path)).text).to.equal('\ufffd\n');
    const manifest = [Buffer.from(`[{"path":"/${container}/`), bad, Buffer.from('"}]')];
    const made = await owner().send('PUT', `${path}/m?multipart-manifest=put`, {
      body: Buffer.concat(manifest),
    });
    expect(made.status, made.text).to.equal(400);
    expect(made.text).to.contain('Manifest must be valid JSON.');
  });

  it('takes no white space but that of ASCII from the lines of a bulk deletion', async () => {
    for (const name of ['a', 'a%E3%80%80', 'b']) await put(name, 'x');
    const body = `\ufeff${container}/a\n${container}/a\u3000\n \t${container}/b\v\f \r\n \r\n`;
    expect(await bulkDelete(body)).to.include({ 'Number Deleted': 2, 'Number Not Found': 1 });
    expect((await owner().send('GET', path)).text).to.equal('a\n');
  });

  it('joins segments, shows, copies and deletes them', async () => {
    await put('s1', 'abc');
    await put('s2', 'de');
    const manifest = JSON.stringify([
      { path: `/${container}/s1`, size_bytes: 3, etag: md5('abc') },
      { path: `/${container}/s2` },
    ]);
    const made = await put('m?multipart-manifest=put', manifest);
    expect(made.headers.etag).to.equal(`"${md5(md5('abc') + md5('de'))}"`);
    expect((await owner().send('GET', `${path}/m`)).text).to.equal('abcde');
    const shown = await owner().send('GET', `${path}/m?multipart-manifest=get`);
    expect(md5(shown.text)).to.equal(shown.headers.etag);
    const copy = { headers: { destination: `${container}/copy` } };
    await owner().send('COPY', `${path}/m`, copy);
    expect((await owner().send('HEAD', `${path}/copy`)).headers.etag).to.equal(md5('abcde'));
    const bad = JSON.stringify([{ path: `/${container}/none` }]);
    const beating = await put('x?multipart-manifest=put&heartbeat=on', bad, {
      accept: 'application/json',
    });
    expect(beating.status).to.equal(202);
    expect(JSON.parse(beating.text)).to.include({ 'Response Status': '400 Bad Request' });
    const gone = await owner().send('DELETE', `${path}/m?multipart-manifest=delete`);
    expect(gone.text).to.include('Number Deleted: 3');
    expect((await owner().send('GET', path)).text).to.equal('copy\n');
  });

  it('follows symlinks, and shows them', async () => {
    await put('o', 'target');
    await put('l', '', { 'x-symlink-target': `${container}/o` });
    const read = await owner().send('GET', `${path}/l`);
    expect(read).to.include({ status: 200, text: 'target' });
    expect(read.headers['content-location']).to.equal(`${path}/o`);
    const itself = await owner().send('HEAD', `${path}/l?symlink=get`);
    expect(itself.headers).to.include({ 'x-symlink-target': `${container}/o`, etag: md5('') });
    await owner().send('DELETE', `${path}/o`);
    const broken = await owner().send('GET', `${path}/l`);
    expect(broken.status).to.equal(404);
    expect(broken.headers['content-location']).to.equal(`${path}/o`);
  });

  it('lets objects expire, for every user but an owner who asks', async () => {
    const at = String(Math.floor(Date.now() / 1000) + 86_400);
    await put('later', 'x', { 'x-delete-at': at });
    expect((await owner().send('HEAD', `${path}/later`)).headers['x-delete-at']).to.equal(at);
    expect((await put('past', 'x', { 'x-delete-at': '5' })).status).to.equal(400);
    const ref = { account: 'AUTH_test', container, object: 'later' };
    await api().backend.updateObject(CONTEXT, ref, { deleteAt: Date.now() - 1 });
    expect((await owner().send('GET', `${path}/later`)).status).to.equal(404);
    const open = { headers: { 'x-open-expired': 'true' } };
    expect((await owner().send('GET', `${path}/later`, open)).text).to.equal('x');
    await owner().send('POST', path, { headers: { 'x-container-read': '.r:*' } });
    expect((await nobody().send('GET', `${path}/later`, open)).status).to.equal(404);
  });

  it('joins a dynamic large object as it is listed', async () => {
    for (const name of ['seg/1', 'seg/2', 'other']) await put(name, name);
    await put('d', '', { 'x-object-manifest': `${container}/seg/` });
    expect((await owner().send('GET', `${path}/d`)).text).to.equal('seg/1seg/2');
    const part = { headers: { range: 'bytes=3-6' } };
    expect((await owner().send('GET', `${path}/d`, part)).text).to.equal('/1se');
  });
});
