import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { ApiClient } from './support/client.js';
import {
  ACCOUNT,
  expectNothingTold,
  KEY,
  md5,
  Pointers,
  ROOT,
  SECRET,
} from './support/pointers.js';

/** The statuses for an owner, a member who may write, and a request without a name. */
type Statuses = readonly [owner: number, member: number, nobody: number];

const ALL: Statuses = [200, 200, 200];
const OWNER: Statuses = [200, 403, 401];
const LISTERS: Statuses = [200, 200, 401];

interface Row {
  readonly name: string;
  readonly key: string;
  readonly get: Statuses;
  /** Where it differs from that of a GET. */
  readonly head?: Statuses;
  /** Of a URL by the key of the bucket's container. Default: 401. */
  readonly tempUrl?: number;
  /** It is found out when the head of the answer was sent: the body is cut there. */
  readonly isLate?: true;
}

/** Headers of GETs: of the whole, of a part, of parts, and one that asks for a change. */
const READS: readonly Readonly<Record<string, string>>[] = [
  {},
  { range: 'bytes=1-3' },
  { range: 'bytes=1-3,5-6' },
  { 'if-none-match': md5('another') },
];

/** How Swift answers clients of its own: S3's versions and parts are no exceptions for them. */
const ROWS: readonly Row[] = [
  { name: 'an ordinary object', key: 'o', get: ALL, tempUrl: 200 },
  { name: 'a link of S3 to a version', key: 'versioned', get: OWNER },
  { name: 'an object of parts', key: 'k', get: OWNER, head: ALL },
  { name: 'a link inside the bucket', key: 'l-open', get: ALL, tempUrl: 200 },
  { name: 'a link to a closed container', key: 'l-closed', get: OWNER },
  { name: 'a link to nothing in a closed one', key: 'l-none', get: [404, 403, 401] },
  { name: 'a link to no container', key: 'l-nowhere', get: [404, 403, 401] },
  { name: 'a static link to a closed one', key: 'l-static', get: OWNER },
  { name: 'a link to a version of another key', key: 'l-version', get: OWNER },
  { name: 'a copy of a link of S3', key: 'l-copied', get: OWNER },
  { name: 'a link to the account itself', key: 'l-hidden', get: [403, 403, 401] },
  { name: 'a dynamic manifest of a closed one', key: 'd-closed', get: OWNER },
  { name: 'a link to that', key: 'l-d-closed', get: OWNER },
  { name: 'a dynamic manifest of the bucket', key: 'd-open', get: LISTERS, tempUrl: 200 },
  {
    name: 'a dynamic one with a link among its segments',
    key: 'd-link',
    get: OWNER,
    head: LISTERS,
    isLate: true,
  },
  { name: 'a manifest of a closed container', key: 's-closed', get: OWNER, head: ALL },
  {
    name: 'a manifest whose second segment is there',
    key: 's-late',
    get: OWNER,
    head: ALL,
    isLate: true,
  },
];

describe('swift api: whose rights count behind a link or a manifest', () => {
  const pointers = useOnce(() => Pointers.open(), 'close');
  const by: Pointers['by'] = (...request) => pointers().by(...request);

  for (const { name, key, get, head = get, tempUrl = 401, isLate } of ROWS) {
    it(`holds for ${name}`, async () => {
      for (const who of [0, 1, 2] as const) {
        const isOpen = get[who] === 200;
        const headed = await by(who, 'HEAD', `b/${key}`);
        expect(headed.status, `HEAD of ${key} by ${who}`).to.equal(head[who]);
        if (!isOpen && headed.status !== 200) expectNothingTold(headed);
        for (const headers of READS) {
          const what = `${key} by ${who} ${JSON.stringify(headers)}`;
          // A connection that breaks off in the body gives no answer here.
          const answer = await by(who, 'GET', `b/${key}`, headers).catch(() => undefined);
          if (isLate !== true)
            expect(answer?.status, what).to.be.oneOf(isOpen ? [200, 206] : [get[who]]);
          if (!isOpen && answer !== undefined) expectNothingTold(answer);
        }
      }
      if (isLate !== true) await expectTempUrl(key, tempUrl);
    });

    it(`holds for copies of ${name}`, async () => {
      for (const who of [0, 1] as const) {
        const copied = await by(who, 'COPY', `b/${key}`, { destination: 'b/copy' });
        // A copy of a dynamic large object is one itself.
        const expected = key.includes('d-') ? 201 : created(get[who]);
        expect(copied.status, `${key} by ${who}`).to.equal(expected);
        const pulled = await by(who, 'PUT', 'b/copy', { 'x-copy-from': `b/${key}` });
        expect(pulled.status, `${key} by ${who}`).to.equal(expected);
        if (expected !== 201) expectNothingTold(copied);
        await by(who, 'DELETE', 'b/copy');
      }
    });
  }

  const created = (status: number): number => (status === 200 ? 201 : status);

  async function expectTempUrl(key: string, status: number): Promise<void> {
    const expires = Math.floor(Date.now() / 1000) + 100;
    const lines = ['GET', String(expires), `${ROOT}/b/${key}`].join('\n');
    const sig = createHmac('sha256', KEY).update(lines).digest('hex');
    const answer = await by(2, 'GET', `b/${key}?temp_url_sig=${sig}&temp_url_expires=${expires}`);
    expect(answer.status, `${key} by a TempURL`).to.equal(status);
    if (status !== 200) expectNothingTold(answer);
  }

  it('counts the rights in the account of the source, for a copy to another', async () => {
    const stranger = await ApiClient.login(pointers().api, 'test2:tester3', 'testing3');
    const target = '/v1/AUTH_test2/mine';
    expect((await stranger.send('PUT', target)).status).to.equal(201);
    for (const key of ['l-closed', 's-closed', 'versioned', 'l-open']) {
      const status = key === 'l-open' ? 201 : 403;
      const from = { 'x-copy-from': `b/${key}`, 'x-copy-from-account': ACCOUNT };
      const sent = { headers: from, body: '' };
      expect((await stranger.send('PUT', `${target}/o`, sent)).status, key).to.equal(status);
      const to = { destination: 'mine/o', 'destination-account': 'AUTH_test2' };
      const copied = await stranger.send('COPY', `${ROOT}/b/${key}`, { headers: to });
      expect(copied.status, key).to.equal(status);
    }
    await stranger.close();
  });

  it('tells a writer of a static link nothing of what only others may read', async () => {
    for (const [target, etag] of [
      ['x/s', md5('a guess')],
      ['x/s', md5(SECRET)],
      ['x/none', md5('a guess')],
      ['nowhere/s', md5('a guess')],
    ] as const) {
      const pin = { 'x-symlink-target': target, 'x-symlink-target-etag': etag };
      const refused = await by(1, 'PUT', 'b/pinned', pin);
      expect(refused.status, target).to.equal(403);
      if (etag !== md5(SECRET)) expectNothingTold(refused);
    }
    const pin = { 'x-symlink-target': 'x/s', 'x-symlink-target-etag': md5('a guess') };
    expect((await by(0, 'PUT', 'b/pinned', pin)).status).to.equal(409);
  });

  it('makes no manifest of what its writer may not read', async () => {
    const refused = async (path: string) => {
      const body = JSON.stringify([{ path }]);
      const answer = await by(1, 'PUT', 'b/made?multipart-manifest=put', {}, body);
      expect(answer.status, path).to.equal(400);
      expect(answer.text).to.include('403 Forbidden');
      expectNothingTold(answer);
    };
    for (const path of ['/x/s', '/b/l-closed', '/x/none']) await refused(path);
    const copy = { destination: 'b/made' };
    const copied = await by(1, 'COPY', 'b/s-closed?multipart-manifest=get', copy);
    expect(copied.status).to.equal(400);
    expect((await by(0, 'COPY', 'b/s-closed?multipart-manifest=get', copy)).status).to.equal(201);
  });

  it('describes segments only to those who may read them', async () => {
    const [mine, others] = await Promise.all(
      ([0, 1] as const).map((who) => by(who, 'GET', 'b/s-closed?multipart-manifest=get')),
    );
    expect(mine?.text).to.include('"content_type": "application/octet-stream"');
    expect(others?.status).to.equal(200);
    await by(0, 'POST', 'x/s', { 'content-type': 'secret/type' });
    const shown = await by(1, 'GET', 'b/s-closed?multipart-manifest=get');
    expect(shown.text).to.not.include('secret/type');
    const own = await by(0, 'GET', 'b/s-closed?multipart-manifest=get');
    expect(own.text).to.include('secret/type');
  });

  it('counts the rights of the moment', async () => {
    await by(0, 'POST', 'x', { 'x-container-read': 'test:tester2' });
    for (const key of ['l-closed', 'l-static', 'd-closed', 's-closed', 'l-d-closed']) {
      expect((await by(1, 'GET', `b/${key}`)).status, key).to.equal(200);
      expect((await by(2, 'GET', `b/${key}`)).status, key).to.equal(401);
    }
    await by(0, 'POST', 'x', { 'x-container-read': '.r:.example.com' });
    const referer = { referer: 'http://www.example.com/page' };
    for (const key of ['l-closed', 's-closed']) {
      expect((await by(2, 'GET', `b/${key}`, referer)).status, key).to.equal(200);
      expect((await by(2, 'GET', `b/${key}`)).status, key).to.equal(401);
    }
    // Who may read objects may not list them.
    expect((await by(2, 'GET', 'b/d-closed', referer)).status).to.equal(401);
    await by(0, 'POST', 'x', { 'x-container-read': '.r:.example.com,.rlistings' });
    expect((await by(2, 'GET', 'b/d-closed', referer)).status).to.equal(200);
    await by(0, 'POST', 'x', { 'x-container-read': '' });
    expect((await by(1, 'GET', 'b/l-closed')).status).to.equal(403);
  });

  it('lets a writer of a link change the link, and not its target', async () => {
    const before = (await by(0, 'HEAD', 'x/s')).headers;
    await pointers().put(0, 'b/mine', { 'x-symlink-target': 'x/s' });
    expect((await by(1, 'POST', 'b/mine', { 'x-object-meta-a': 'b' })).status).to.equal(307);
    expect((await by(1, 'DELETE', 'b/mine')).status).to.equal(204);
    expect((await by(0, 'HEAD', 'x/s')).headers).to.include({
      etag: before.etag,
      'x-timestamp': before['x-timestamp'],
    });
  });
});
