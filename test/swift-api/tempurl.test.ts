import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { startApi } from './support/api.js';
import { ApiClient, type Answer } from './support/client.js';

const ACCOUNT = '/v1/AUTH_test';
const CONTAINER = `${ACCOUNT}/c`;
const OTHER = `${ACCOUNT}/other`;
const KEY = 'key of the container';

interface Grant {
  readonly method?: string;
  readonly key?: string;
  /** The path that the URL is signed for; with `prefix` it is the folder. */
  readonly signed?: string;
  readonly prefix?: string;
  readonly ipRange?: string;
}

describe('swift api: what a TempURL opens', () => {
  const api = useOnce(startApi, async (api) => {
    await api.close();
    expect(api.errors).to.deep.equal([]);
  });
  const owner = useOnce(() => ApiClient.login(api(), 'test:tester', 'testing'), 'close');
  const stranger = useOnce(() => ApiClient.login(api(), 'test2:tester3', 'testing3'), 'close');
  const nobody = useOnce(() => new ApiClient(api().origin, undefined), 'close');

  before(async () => {
    const key = { 'x-container-meta-temp-url-key': KEY };
    for (const path of [CONTAINER, OTHER]) {
      const created = await owner().send('PUT', path, path === CONTAINER ? { headers: key } : {});
      expect(created.status).to.equal(201);
      await put(`${path}/o`, 'hello');
      await put(`${path}/folder/o`, 'in the folder');
    }
  });

  async function put(path: string, body: string, headers = {}): Promise<void> {
    expect((await owner().send('PUT', path, { headers, body })).status).to.equal(201);
  }

  /** The URL of `path`, signed for it or for what `grant` says. */
  function url(path: string, grant: Grant = {}): string {
    const { method = 'GET', key = KEY, signed = path, prefix, ipRange } = grant;
    const expires = Math.floor(Date.now() / 1000) + 100;
    const what = prefix === undefined ? signed : `prefix:${CONTAINER}/${prefix}`;
    const lines = [method, String(expires), what];
    if (ipRange !== undefined) lines.unshift(`ip=${ipRange}`);
    const query = new URLSearchParams({
      temp_url_sig: createHmac('sha256', key).update(lines.join('\n')).digest('hex'),
      temp_url_expires: String(expires),
      ...(prefix === undefined ? {} : { temp_url_prefix: prefix }),
      ...(ipRange === undefined ? {} : { temp_url_ip_range: ipRange }),
    });
    return `${path}?${query.toString()}`;
  }

  const get = (path: string, grant?: Grant): Promise<Answer> =>
    nobody().send('GET', url(path, grant));
  const statusOf = async (path: string, grant?: Grant): Promise<number> =>
    (await get(path, grant)).status;

  it('serves by the keys of the account and the container, which it hides', async () => {
    const path = `${CONTAINER}/described`;
    await put(path, 'hello', { 'x-object-meta-secret': '1', 'x-object-meta-public-a': '2' });
    const got = await get(path);
    expect(got).to.include({ status: 200, text: 'hello' });
    expect(got.headers).to.include({
      'content-disposition': `attachment; filename="described"; filename*=UTF-8''described`,
      'x-object-meta-public-a': '2',
    });
    expect(got.headers).to.not.have.property('x-object-meta-secret');
    expect((await nobody().send('HEAD', url(path))).status).to.equal(200);
    expect((await nobody().send('PUT', url(path), { body: 'x' })).status).to.equal(401);
    expect(await statusOf(path, { key: 'no' })).to.equal(401);
    const pointer = { headers: { 'x-symlink-target': 'c/o' } };
    const linked = await nobody().send('PUT', url(path, { method: 'PUT' }), pointer);
    expect(linked.status).to.equal(400);
    await owner().send('POST', CONTAINER, { headers: { 'x-container-read': 'test2:tester3' } });
    expect((await stranger().send('HEAD', path)).status).to.equal(200);
    const shown = JSON.stringify((await stranger().send('HEAD', CONTAINER)).headers);
    expect(shown).to.not.include('temp-url-key');
    const own = JSON.stringify((await owner().send('HEAD', CONTAINER)).headers);
    expect(own).to.include('temp-url-key');
  });

  it('opens what it was signed for, and nothing beside it', async () => {
    const signed = `${CONTAINER}/o`;
    expect(await statusOf(signed)).to.equal(200);
    expect(await statusOf(`${CONTAINER}/folder/o`, { signed })).to.equal(401);
    expect(await statusOf(`${OTHER}/o`, { signed })).to.equal(401);
  });

  it('opens the folder that it was signed for, and no object outside it', async () => {
    const prefix = 'folder/';
    const opened = await get(`${CONTAINER}/folder/o`, { prefix });
    expect(opened).to.include({ status: 200, text: 'in the folder' });
    expect(await statusOf(`${CONTAINER}/o`, { prefix })).to.equal(401);
    expect(await statusOf(`${CONTAINER}/other-folder/o`, { prefix })).to.equal(401);
  });

  it('is good for the addresses that it was signed for', async () => {
    for (const ipRange of ['127.0.0.1', '127.0.0.0/8', '0.0.0.0/0']) {
      expect(await statusOf(`${CONTAINER}/o`, { ipRange }), ipRange).to.equal(200);
    }
    for (const ipRange of ['127.0.0.2', '10.0.0.0/8', '::1', 'fd00::/8', 'nonsense']) {
      expect(await statusOf(`${CONTAINER}/o`, { ipRange }), ipRange).to.equal(401);
    }
  });

  it("reaches by a container's key nothing of another container", async () => {
    const copy = (from: string, key?: string): Promise<Answer> => {
      const to = `${CONTAINER}/copy`;
      const target = url(to, { method: 'PUT', ...(key === undefined ? {} : { key }) });
      return nobody().send('PUT', target, { headers: { 'x-copy-from': from } });
    };
    expect((await copy('c/o')).status).to.equal(201);
    expect((await copy('other/o')).status).to.equal(401);
    const ofAccount = 'key of the account';
    const headers = { 'x-account-meta-temp-url-key': ofAccount };
    expect((await owner().send('POST', ACCOUNT, { headers })).status).to.equal(204);
    expect((await copy('other/o', ofAccount)).status).to.equal(201);
  });
});
