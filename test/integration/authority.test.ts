import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import {
  CONTENTS,
  POINTERS,
  verdictOf,
  WAYS,
  WHO,
  type Pointer,
  type Way,
  type Who,
} from '../support/authority-table.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { PlainSwift } from '../support/plain-swift.js';
import { S3TestClient, type S3Answer } from '../support/s3-client.js';
import { startService, type Service, type TestUser } from '../support/service.js';
import { presignQuery } from '../support/sigv4.js';
import { inDays, legalHold, lockConfiguration, retention } from './object-lock/bench.js';
import { at, expectAnswer, textOf, versioning } from './versions/bench.js';

const SECRET = 'a-secret-of-a-test-user';
const USERS: readonly (TestUser & { user: string })[] = [
  user('OLGASKEY', 'main:olga', 'owner'),
  user('MAXSKEY', 'main:max', 'member'),
];
const [OWNER, MEMBER] = USERS as [(typeof USERS)[number], (typeof USERS)[number]];

function user(accessKey: string, name: string, role: 'owner' | 'member') {
  return { accessKey, secretKey: SECRET, account: 'AUTH_main', role, user: name };
}

/**
 * The embedded store does not serve these: it has no nested manifests, chains and other accounts.
 * The containers of the table are called `t-…`: a bucket's name has three characters or more.
 */
const UNSERVED: ReadonlySet<string> = new Set(['link-chain', 'slo-nested', 'dlo-posted', 'hidden']);
const SERVED = POINTERS.filter(({ name, elsewhere }) => !elsewhere && !UNSERVED.has(name));

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** Neither a byte nor the ETag of what lies in the closed container. */
function expectNothingTold({ text, headers }: S3Answer): void {
  const told = text + JSON.stringify(headers);
  expect(told).to.not.include(CONTENTS.closed.slice(0, 12));
  expect(told).to.not.include(md5(CONTENTS.closed));
}

describe('embedded store: whose rights count behind a pointer', () => {
  let service: Service;
  let owner: S3TestClient;
  let member: S3TestClient;
  let swift: Readonly<Record<'owner' | 'member', PlainSwift>>;
  let targets: readonly string[];

  before(async () => {
    const port = await freePort();
    const config = { anonymous_account: 'AUTH_main' };
    const store = `127.0.0.1:${port}`;
    service = await startService({ store, listeners: 1, config, users: USERS });
    const { endpoint } = service;
    const as = ({ accessKey }: TestUser) =>
      new S3TestClient({ endpoint, accessKey, secretKey: SECRET });
    [owner, member] = [as(OWNER), as(MEMBER)];
    const origin = `http://${store}`;
    await eventually(
      () =>
        fetch(`${origin}/healthcheck`).then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status === 200,
    );
    const login = (name: string) =>
      PlainSwift.login(origin, { account: 'main', user: name, key: SECRET, groups: [] });
    swift = { owner: await login('olga'), member: await login('max') };
    await prepare();
    targets = await told();
  });

  after(async () => {
    for (const client of [owner, member]) await client.close();
    expect(await service.stop()).to.equal(0);
  });

  const put = async (who: 'owner' | 'member', path: string, headers = {}, body = '') => {
    await swift[who].request('PUT', path, headers, body);
  };
  const linkTo = (target: string, etag?: string) => ({
    'X-Symlink-Target': target,
    ...(etag !== undefined && { 'X-Symlink-Target-Etag': etag }),
  });
  const manifestOf = (path: string) => JSON.stringify([{ path }]);

  /** The containers and pointers of the table. */
  async function prepare(): Promise<void> {
    const shared = {
      'X-Container-Read': '.r:*,main:max',
      'X-Container-Write': 'main:max',
    };
    for (const bucket of ['t-b', 't-bv', 't-bo']) await put('owner', bucket, shared);
    await put('owner', 't-x');
    for (const name of ['s', 'p/1', 'p/2']) await put('owner', `t-x/${name}`, {}, CONTENTS.closed);
    for (const bucket of ['t-bv', 't-bo']) {
      expectAnswer(await owner.put(`/${bucket}?versioning`, versioning('Enabled')), 200);
    }
    await put('member', 't-b/o', {}, CONTENTS.open);
    expectAnswer(await member.put('/t-b/plain', CONTENTS.open), 200);
    expectAnswer(await member.put('/t-bv/version', CONTENTS.open), 200);
    const other = await owner.put('/t-bv/other', CONTENTS.closed);
    await uploaded('/t-b/parts', CONTENTS.open);
    await put('member', 't-b/link-open', linkTo('t-b/o'));
    await put('member', 't-b/link-closed', linkTo('t-x/s'));
    await put('owner', 't-b/link-static', linkTo('t-x/s', md5(CONTENTS.closed)));
    const version = `${Buffer.from('other').toString('hex')}/${other.headers['x-amz-version-id']}`;
    await put('member', 't-bv/link-other', linkTo(`t-bv%2Bversions/${version}`));
    await put('member', 't-b/link-chain', linkTo('t-b/link-closed'));
    await put('member', 't-b/dlo', { 'X-Object-Manifest': 't-x/p/' });
    await put('owner', 't-b/slo?multipart-manifest=put', {}, manifestOf('/t-x/s'));
  }

  async function uploaded(path: string, body: string): Promise<void> {
    const { text } = await member.send({ method: 'POST', path: `${path}?uploads` });
    const id = textOf(text, 'UploadId');
    expectAnswer(await member.put(`${path}?partNumber=1&uploadId=${id}`, body), 200);
    expectAnswer(await complete(path, id, md5(body)), 200);
  }

  function complete(path: string, id: string, etag: string, client = member): Promise<S3Answer> {
    const part = `<Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part>`;
    const body = `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`;
    return client.send({ method: 'POST', path: `${path}?uploadId=${id}`, body });
  }

  /** The headers of Swift's API for everything that pointers lead to. */
  async function told(): Promise<readonly string[]> {
    const paths = ['t-x/s', 't-x/p/1', 't-x/p/2', 't-b/o'];
    return Promise.all(
      paths.map(async (path) => {
        const { headers } = await swift.owner.request('HEAD', path);
        return JSON.stringify(headers.filter(([name]) => !/^(?:date|x-trans|x-open)/i.test(name)));
      }),
    );
  }

  function read({ bucket, name }: Pointer, way: Way, who: Who): Promise<S3Answer> {
    const path = `/t-${bucket}/${name}`;
    const client = who === 'owner' ? owner : member;
    const signed = who !== 'anonymous';
    const send = (method: string, query = '', headers = {}) =>
      client.send({ method, path: path + query, headers, signed });
    switch (way) {
      case 'GET':
      case 'HEAD':
        return send(way);
      case 'range':
        return send('GET', '', { range: 'bytes=0-4' });
      case 'version null':
        return send('GET', '?versionId=null');
      case 'presigned':
        return client.send({ method: 'GET', path: presigned(path, who), signed: false });
      case 'tags':
        return send('GET', '?tagging');
      case 'copy':
      case 'part copy':
        return copied(path, way, client);
    }
  }

  function presigned(rawPath: string, who: Who): string {
    const { accessKey } = who === 'owner' ? OWNER : MEMBER;
    const identity = { accessKey, secretKey: SECRET, region: 'us-east-1' };
    const headers = { host: service.endpoint.slice('http://'.length) };
    const query = presignQuery(identity, { method: 'GET', rawPath, headers }, new Date(), 60);
    return `${rawPath}?${query}`;
  }

  /** The content of a copy that is allowed; one that is not leaves nothing. */
  async function copied(path: string, way: Way, client: S3TestClient): Promise<S3Answer> {
    const source = { 'x-amz-copy-source': path };
    const to = `/t-b/copies/${randomBytes(4).toString('hex')}`;
    let made: S3Answer;
    if (way === 'copy') made = await client.put(to, '', source);
    else {
      const { text } = await client.send({ method: 'POST', path: `${to}?uploads` });
      const id = textOf(text, 'UploadId');
      made = await client.put(`${to}?partNumber=1&uploadId=${id}`, '', source);
      const etag = textOf(made.text, 'ETag').replaceAll('&quot;', '');
      if (made.status === 200) expectAnswer(await complete(to, id, etag), 200);
    }
    const kept = await client.get(to);
    expect(kept.status).to.equal(made.status === 200 ? 200 : 404);
    return made.status === 200 ? kept : made;
  }

  function expectVerdict(pointer: Pointer, way: Way, who: Who, got: S3Answer): void {
    // Below its Swift API the store knows of no dynamic manifests: they have no bytes.
    const isEmpty = pointer.name === 'dlo';
    const verdict =
      isEmpty && verdictOf(pointer, way, who) ? 'allowed' : verdictOf(pointer, way, who);
    const what = `${way} of ${pointer.name} by ${who}: ${got.text}`;
    if (verdict === 'denied') {
      expect(got.status, what).to.equal(403);
      if (way !== 'HEAD') expect(got.code, what).to.equal('AccessDenied');
      expectNothingTold(got);
      return;
    }
    const content = isEmpty ? '' : CONTENTS[pointer.content];
    if (isEmpty && way === 'range') return;
    expect(got.status, what).to.be.oneOf([200, 206]);
    if (way === 'range') expect(got.text, what).to.equal(content.slice(0, 5));
    else if (way !== 'HEAD' && way !== 'tags') expect(got.text, what).to.equal(content);
  }

  for (const pointer of SERVED) {
    it(`${pointer.what}: ${pointer.readers}`, async () => {
      for (const way of WAYS) {
        // Its bytes are none, and a part has to have some.
        if (pointer.name === 'dlo' && way === 'part copy') continue;
        for (const who of WHO) {
          if (verdictOf(pointer, way, who) === undefined) continue;
          expectVerdict(pointer, way, who, await read(pointer, way, who));
        }
      }
    });
  }

  it('what links of clients lead nowhere is not there', async () => {
    await put('member', 't-b/dangling', linkTo('t-b/nothing'));
    // This store follows one link.
    for (const key of ['dangling', 'link-chain']) {
      expectAnswer(await owner.get(`/t-b/${key}`), 404, 'NoSuchKey');
      expect((await owner.head(`/t-b/${key}`)).status).to.equal(404);
    }
    expectNothingTold(await member.get('/t-b/link-chain'));
  });

  it('no part is a link', async () => {
    for (const [target, etag] of [
      ['t-b/o', md5(CONTENTS.open)],
      ['t-x/s', md5(CONTENTS.closed)],
      ['t-x/s', md5('')],
    ] as const) {
      const { text } = await member.send({ method: 'POST', path: '/t-b/of-links?uploads' });
      const id = textOf(text, 'UploadId');
      await put('member', `t-b%2Bsegments/of-links/${id}/1`, linkTo(target));
      const got = await complete('/t-b/of-links', id, etag);
      expect(got.code, got.text).to.be.oneOf(['AccessDenied', 'InvalidPart']);
      expectNothingTold(got);
      expectAnswer(await member.get('/t-b/of-links'), 404, 'NoSuchKey');
    }
  });

  it("an upload takes nothing of what a link in its marker's place leads to", async () => {
    await put('owner', 't-x/described', { 'X-Object-Meta-Secret': 'of-the-owner' }, 'x');
    const upload = '/t-b/of-a-link';
    // The owner may read the target, which is not to be told to the readers of what it uploads.
    const { text } = await owner.send({ method: 'POST', path: `${upload}?uploads` });
    const id = textOf(text, 'UploadId');
    expectAnswer(await owner.put(`${upload}?partNumber=1&uploadId=${id}`, 'a part'), 200);
    await put('member', `t-b%2Bsegments/of-a-link/${id}`, linkTo('t-x/described'));
    expectAnswer(await complete(upload, id, md5('a part'), owner), 404, 'NoSuchUpload');
    expectAnswer(await member.get(upload), 404, 'NoSuchKey');
  });

  it('nothing is changed through a link that is none of ours', async () => {
    const tags = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
    const restore = '<RestoreRequest><Days>1</Days></RestoreRequest>';
    for (const { name, bucket, change } of SERVED) {
      if (change === undefined) continue;
      const path = `/t-${bucket}/${name}`;
      for (const client of [owner, member]) {
        for (const got of [
          await client.put(`${path}?tagging`, tags),
          await client.delete(`${path}?tagging`),
          await client.put(`${path}?acl`, '', { 'x-amz-acl': 'private' }),
          await client.send({ method: 'POST', path: `${path}?restore`, body: restore }),
        ]) {
          expect(got.status, `${name}: ${got.text}`).to.be.oneOf([403, 405]);
        }
      }
    }
    expect(await told()).to.deep.equal(targets);
  });

  it('what is written over where versions are kept takes nothing of others along', async () => {
    await put('member', 't-bo/closed', linkTo('t-x/s'));
    await put('owner', 't-bo/static?multipart-manifest=put', {}, manifestOf('/t-x/s'));
    for (const key of ['closed', 'static']) {
      expectAnswer(await member.get(`/t-bo/${key}`), 403, 'AccessDenied');
      expectAnswer(await member.put(`/t-bo/${key}`, 'new'), 200);
      expect((await member.get(`/t-bo/${key}`)).text).to.equal('new');
      const { text } = await member.get(`/t-bo?versions&prefix=${key}`);
      for (const [, id = ''] of text.matchAll(/<VersionId>([^<]+)</g)) {
        expectNothingTold(await member.get(at(`/t-bo/${key}`, id)));
      }
      expect((await member.delete(`/t-bo/${key}`)).status).to.equal(204);
    }
    expect(await told()).to.deep.equal(targets);
  });

  it('what the ACL grants and takes away counts at the next read', async () => {
    const allow = (list: string) =>
      swift.owner.request('POST', 't-x', { 'X-Container-Read': list });
    const get = (signed: boolean, headers = {}) =>
      member.send({ method: 'GET', path: '/t-b/link-closed', signed, headers });
    const referer = { referer: 'http://host.example/page' };
    await allow('main:max');
    expect((await get(true)).text).to.equal(CONTENTS.closed);
    expect((await get(false)).status).to.equal(403);
    await allow('.r:host.example');
    expect((await get(false)).status).to.equal(403);
    expect((await get(false, referer)).text).to.equal(CONTENTS.closed);
    await allow('');
    expect((await get(true)).status).to.equal(403);
  });

  it('an S3 ACL opens an object under its own name alone', async () => {
    const grant = { 'x-amz-grant-read': 'id="main:max"' };
    expectAnswer(await owner.put('/t-x/shared', CONTENTS.closed, grant), 200);
    await put('member', 't-b/to-shared', linkTo('t-x/shared'));
    expect((await member.get('/t-x/shared')).status).to.equal(200);
    expect((await member.get('/t-b/to-shared')).status).to.equal(403);
  });

  it('Object Lock protects no manifest of what others may delete', async () => {
    await put('owner', 't-lk');
    await put('owner', 't-lk/static?multipart-manifest=put', {}, manifestOf('/t-x/s'));
    await put('owner', 't-lk/dynamic', { 'X-Object-Manifest': 't-x/p/' });
    await put('owner', 't-lk/plain', {}, 'a whole object');
    expectAnswer(await owner.put('/t-lk?versioning', versioning('Enabled')), 200);
    expectAnswer(await owner.put('/t-lk?object-lock', lockConfiguration()), 200);
    const rule = retention('COMPLIANCE', inDays(1));
    for (const key of ['static', 'dynamic']) {
      const path = `/t-lk/${key}`;
      const refused = await owner.put(at(`${path}?retention`, 'null'), rule);
      expectAnswer(refused, 400, 'InvalidRequest');
      expect(refused.text).to.include('Copy or upload it as one object');
      expectAnswer(await owner.put(`${path}?legal-hold`, legalHold('ON')), 400, 'InvalidRequest');
      expectAnswer(await owner.put(`${path}?legal-hold`, legalHold('OFF')), 200);
    }
    const copy = { 'x-amz-copy-source': '/t-lk/static' };
    expectAnswer(await owner.put('/t-lk/copied', '', copy), 200);
    for (const key of ['copied', 'plain']) {
      expectAnswer(await owner.put(`/t-lk/${key}?retention`, rule), 200);
      expectAnswer(await owner.put(`/t-lk/${key}?legal-hold`, legalHold('ON')), 200);
    }
  });
});
