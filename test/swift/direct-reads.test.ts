import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { openDirect, openSwiftBackend, type DirectOptions } from '../../src/backend/swift/index.js';
import type { SwiftRequest, SwiftTransport } from '../../src/backend/swift/transport.js';
import { CONTEXT } from '../contract/fixture.js';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { openLabTransport } from './support.js';

const CONTAINER = 'direct-reads';
const BODY = Buffer.from('0123456789'.repeat(3_000));

const ID = '0123456789abcdef0123456789abcdef';
const VERSIONS = `${CONTAINER}+versions`;
const SEGMENTS = `${CONTAINER}+segments`;
const versionOf = (key: string): string => `${Buffer.from(key).toString('hex')}/${ID}`;
const firstOf = (key: string): string => `${Buffer.from(key).toString('hex')}/index.json`;
const partsOf = (key: string): readonly string[] =>
  [1, 2].map((number) => `${key}/${ID}/${number}`);
const linkTo = (container: string, object: string) => ({
  'x-symlink-target': `${encodeURIComponent(container)}/${encodeURIComponent(object)}`,
});

const ACROSS = `bytes=${BODY.length - 5}-${BODY.length + 4}`;

/** Of a large object. */
function manifest(...segments: readonly { readonly path: string; readonly range?: string }[]) {
  return { query: 'multipart-manifest=put', body: Buffer.from(JSON.stringify(segments)) };
}

const TARGET = { path: `/${CONTAINER}/tar get` };
const ofParts = (key: string) =>
  manifest(...partsOf(key).map((name) => ({ path: `/${SEGMENTS}/${name}` })));

/** Of a proxy alone, or of the moment. */
const OWN =
  /^(?:date|x-trans-id|x-openstack-request-id|accept-ranges|connection|keep-alive|x-backend-)/;

describeWith(SWIFT_NEEDS, 'direct reads of a real cluster', function () {
  this.timeout(180_000);
  const lab = useOnce(sharedSwiftLab);
  const proxies = useOnce(() => openLabTransport(lab()), 'close');
  let ways: string[] = [];
  let errors: string[] = [];

  const open = async (options: Partial<DirectOptions> = {}): Promise<SwiftTransport> => {
    const opened = await openDirect(openLabTransport(lab()), {
      ringsDir: lab().state.swiftConf,
      swiftConf: '',
      readAffinity: '',
      hedgeMs: 0,
      connectionsMax: 16,
      connectTimeoutMs: 1_000,
      nodeTimeoutMs: 20_000,
      keepAliveMs: 10_000,
      onRead: (way) => ways.push(way),
      onNodeError: (_, error) => errors.push(error),
      ...options,
    });
    await opened.transport.info();
    for (const container of [CONTAINER, SEGMENTS, VERSIONS]) {
      const ref = { account: 'AUTH_test', container };
      await opened.transport.request({ context: CONTEXT, method: 'HEAD', ...ref });
    }
    return opened.transport;
  };

  const send = async (transport: SwiftTransport, request: Partial<SwiftRequest>) => {
    const response = await transport.request({
      context: CONTEXT,
      method: 'GET',
      account: 'AUTH_test',
      container: CONTAINER,
      ...request,
    });
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(Buffer.from(chunk));
    const headers = [...response.headers].filter(([name]) => !OWN.test(name)).sort();
    return {
      status: response.status,
      headers: Object.fromEntries(headers),
      body: Buffer.concat(chunks).toString(),
    };
  };

  const put = async (object: string, request: Partial<SwiftRequest> = {}): Promise<void> => {
    const { status } = await send(proxies(), { method: 'PUT', object, body: BODY, ...request });
    expect(status).to.equal(201);
  };

  before(async () => {
    for (const container of [CONTAINER, SEGMENTS, VERSIONS]) {
      const headers = { 'x-storage-policy': 'gold' };
      await send(proxies(), { method: 'PUT', container, headers });
    }
    await put('plain ü', {
      headers: {
        'content-type': 'text/x-test',
        'content-encoding': 'br',
        'x-object-meta-colour': 'blü',
        'x-object-meta-x%3dy': '1',
        'x-gateway-sysmeta-object-kind': 'whole',
        'x-gateway-sysmeta-transient-tag': 't',
      },
    });
    const body = Buffer.alloc(0);
    await put('link', {
      body,
      headers: {
        ...linkTo(VERSIONS, versionOf('link')),
        'x-gateway-sysmeta-object-of': 'link',
      },
    });
    await put(versionOf('link'), { container: VERSIONS });
    await put('plain link', { body, headers: linkTo(CONTAINER, 'tar get') });
    await put('tar get', { headers: { 'x-gateway-sysmeta-object-of': 'target' } });
    const fixed = { 'x-symlink-target-etag': createHash('md5').update(BODY).digest('hex') };
    await put('hard link', { body, headers: { ...linkTo(CONTAINER, 'tar get'), ...fixed } });
    for (const key of ['fixed', 'outdated']) {
      await put(firstOf(key), { container: VERSIONS });
      await put(key, { body, headers: { ...linkTo(VERSIONS, firstOf(key)), ...fixed } });
    }
    await put(firstOf('outdated'), { container: VERSIONS, body: Buffer.from('an index') });
    for (const part of [...partsOf('large'), ...partsOf('large link')]) {
      await put(part, { container: SEGMENTS });
    }
    const headers = { 'x-gateway-sysmeta-object-s3api-etag': 'e-2' };
    await put('large', { ...ofParts('large'), headers });
    await put(versionOf('large link'), { container: VERSIONS, ...ofParts('large link') });
    await put('large link', { body, headers: linkTo(VERSIONS, versionOf('large link')) });
    await put('plain large', manifest(TARGET, TARGET));
    await put('parts', manifest({ ...TARGET, range: '5-14' }));
  });

  const direct = useOnce(() => open(), 'close');

  beforeEach(() => {
    ways = [];
    errors = [];
  });

  const same: readonly (readonly [string, Partial<SwiftRequest>, string])[] = [
    ['a HEAD', { method: 'HEAD', object: 'tar get' }, 'direct'],
    ['a GET', { object: 'tar get' }, 'direct'],
    ['a range', { object: 'tar get', headers: { range: 'bytes=5-14' } }, 'direct'],
    ['the end', { object: 'tar get', headers: { range: 'bytes=-7' } }, 'direct'],
    ['a range behind the end', { object: 'tar get', headers: { range: 'bytes=90000-' } }, 'direct'],
    ['a link', { object: 'link' }, 'direct'],
    ['a HEAD of a link', { method: 'HEAD', object: 'link' }, 'direct'],
    ['a range of a link', { object: 'link', headers: { range: 'bytes=3-4' } }, 'direct'],
    ['names that HTTP does not allow', { object: 'plain ü' }, 'not_understood'],
    ['a HEAD of a large object', { method: 'HEAD', object: 'large' }, 'direct'],
    ['a large object', { object: 'large' }, 'direct'],
    ['a range over two segments', { object: 'large', headers: { range: ACROSS } }, 'direct'],
    ['the end of a large object', { object: 'large', headers: { range: 'bytes=-9' } }, 'direct'],
    ['a link to a large object', { object: 'large link' }, 'direct'],
    ['a link of a Swift client', { object: 'plain link' }, 'link'],
    ['a large object of a Swift client', { object: 'plain large' }, 'large_object'],
    ['a large object of parts of objects', { object: 'parts' }, 'large_object'],
    ['a link of a Swift client that holds to an ETag', { object: 'hard link' }, 'link'],
    ['a link that is fixed', { object: 'fixed' }, 'direct'],
    ['a HEAD of a link that is fixed', { method: 'HEAD', object: 'fixed' }, 'direct'],
    ['a link that is fixed to what is there no more', { object: 'outdated' }, 'link'],
    ['what is missing', { object: 'nothing' }, 'missing'],
    ['the newest', { object: 'tar get', headers: { 'x-newest': 'true' } }, 'newest'],
  ];
  for (const [what, request, way] of same) {
    it(`answer ${what} as a proxy does`, async () => {
      const expected = await send(proxies(), request);
      expect(await send(direct(), request)).to.deep.equal(expected);
      // Segments are reads of their own, before that of the whole.
      expect(ways.at(-1)).to.equal(way);
      expect(new Set(ways)).to.deep.equal(new Set([way]));
    });
  }

  it('list as a proxy does', async () => {
    const ref = { account: 'AUTH_test', container: CONTAINER };
    const [expected, found] = await Promise.all(
      [proxies(), direct()].map(async (transport) => {
        const backend = await openSwiftBackend({ transport, containerCacheMs: 0 });
        return backend.listObjects(CONTEXT, ref, { limit: 10 });
      }),
    );
    expect(found).to.deep.equal(expected);
    expect(found?.entries).to.have.length.above(2);
    expect(ways).to.deep.equal(['direct']);
  });

  it('see a deletion and a new object at once', async () => {
    for (let round = 0; round < 5; round++) {
      await put('again', { body: Buffer.from(`round ${round}`) });
      expect((await send(direct(), { object: 'again' })).body).to.equal(`round ${round}`);
      await send(proxies(), { method: 'DELETE', object: 'again' });
      expect((await send(direct(), { object: 'again' })).status).to.equal(404);
    }
  });

  it('read on while a server is stopped, and wait for it once', async () => {
    const other = await open({ nodeTimeoutMs: 1500 });
    await lab().pauseServices('object-server.node1');
    try {
      for (let i = 0; i < 30; i++) {
        expect((await send(other, { object: 'tar get' })).body).to.equal(BODY.toString());
      }
      expect(errors.filter((error) => error !== 'timeout')).to.deep.equal([]);
      // A trial a second later may be among them, and fails too.
      expect(errors.length).to.be.within(0, 5);
      expect(new Set(ways)).to.deep.equal(new Set(['direct']));
    } finally {
      await lab().resumeServices('object-server.node1');
      await other.close();
    }
  });

  it('read what a killed server has of its replicas elsewhere, and never say it is missing', async () => {
    const other = await open();
    await lab().killServices('object-server.node2');
    try {
      for (let i = 0; i < 10; i++) {
        expect((await send(other, { object: 'tar get' })).status).to.equal(200);
      }
      expect(ways).not.to.include('missing');
    } finally {
      await lab().startServices('object-server.node2');
      await other.close();
    }
  });
});
