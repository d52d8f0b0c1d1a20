import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { Client } from 'undici';
import { eventually } from '../support/eventually.js';
import type { Proxy } from '../support/proxy.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { presignQuery, signHeaders, UNSIGNED } from '../support/sigv4.js';
import { presignQueryV2 } from '../support/sigv2.js';

/** How a proxy treats `Host`; see docs/behind-a-proxy.md. */
export type HostTreatment = 'preserved' | 'forwarded' | 'replaced';

export interface ProxyKind {
  readonly name: string;
  start(service: Service, treatment: HostTreatment): Promise<Proxy>;
}

/** As they go on the wire, each with the key that it names. */
const PATHS: readonly (readonly [path: string, key: string])[] = [
  ['/a%2Fb', 'a/b'],
  ['//double//slash//', '/double//slash//'],
  ['/up/../down', 'up/../down'],
  ['/up/%2E%2E/down', 'up/../down'],
  ['/./here', './here'],
  ['/a+b%2Bc%20d', 'a+b+c d'],
  ['/100%25%2525', '100%%25'],
  ['/%C3%BC%F0%9F%8E%89', 'ü🎉'],
  ['/what%3F%23', 'what?#'],
];

/** Shared by every proxy: what is documented of it, with real requests. */
export function itWorksBehind(kind: ProxyKind): void {
  const BASE = 's3.example.com';

  describe(`${kind.name}: Host preserved`, () => {
    const setup = useProxy(kind, 'preserved', { base_domains: [BASE] });

    for (const [path, key] of PATHS) {
      it(`passes ${path} on as it is`, async () => {
        const { s3, direct } = setup();
        expect((await s3.put(`/proxied${path}`, key)).status).to.equal(200);
        expect((await s3.get(`/proxied${path}`)).text).to.equal(key);
        const listing = await direct.get(
          `/proxied?list-type=2&encoding-type=url&prefix=${encodeURIComponent(key)}`,
        );
        const escaped = encodeURIComponent(key).replaceAll('%2F', '/');
        expect(listing.text).to.contain(`<Key>${escaped}</Key>`);
        expect((await s3.delete(`/proxied${path}`)).status).to.equal(204);
      });
    }

    it('passes every header on', async () => {
      const { s3 } = setup();
      const metadata = { 'x-amz-meta-with_underscore': 'a  b', 'x-amz-meta-with.dot': 'c' };
      expect((await s3.put('/proxied/headers', 'x', metadata)).status).to.equal(200);
      expect((await s3.head('/proxied/headers')).headers).to.include({
        'x-amz-meta-with_underscore': 'a  b',
        'x-amz-meta-with.dot': 'c',
      });
    });

    it('streams: the service has the request before the client has sent its body', async () => {
      const { proxy, service, s3 } = setup();
      const half = Buffer.alloc(8 * 1024 * 1024, 'half');
      const client = new Client(proxy.endpoint);
      const headers = signHeaders(
        { ...service, region: 'us-east-1' },
        { method: 'PUT', rawPath: '/proxied/large', headers: { host: hostOf(proxy) } },
        new Date(),
        UNSIGNED,
      );
      const answer = await client.request({
        method: 'PUT',
        path: '/proxied/large',
        headers: { ...headers, 'content-length': String(2 * half.length) },
        body: Readable.from(halves(half, () => inProgress(service))),
      });
      expect(answer.statusCode).to.equal(200);
      await answer.body.dump();
      await client.close();
      const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');
      const { body } = await s3.get('/proxied/large');
      expect(sha256(body)).to.equal(sha256(Buffer.concat([half, half])));
    });

    it('serves virtual-host style, signed with either version', async () => {
      const { s3, service, proxy } = setup();
      const host = `proxied.${BASE}`;
      expect((await s3.put('/virtual//key', 'v', { host })).status).to.equal(200);
      expect((await s3.get('/proxied/virtual//key')).text).to.equal('v');
      const toSign = {
        method: 'GET',
        rawPath: '/virtual//key',
        headers: {},
        hostBucket: 'proxied',
      };
      const query = presignQueryV2(service, toSign, new Date(Date.now() + 60_000));
      const plain = new S3TestClient({ ...service, endpoint: proxy.endpoint });
      const path = `/virtual//key?${query}`;
      const answer = await plain.send({ method: 'GET', path, headers: { host }, signed: false });
      expect(answer.text).to.equal('v');
      await plain.close();
    });
  });

  describe(`${kind.name}: Host replaced and forwarded`, () => {
    const trusting = useProxy(kind, 'forwarded', {
      trusted_proxies: ['127.0.0.1/32'],
      base_domains: [BASE],
    });
    const strict = useProxy(kind, 'forwarded', { base_domains: [BASE] });

    it('verifies what was signed for the forwarded host, when the proxy is trusted', async () => {
      const { s3 } = trusting();
      expect((await s3.put('/proxied/a%2Fb', 'path')).status).to.equal(200);
      const host = `proxied.${BASE}`;
      expect((await s3.get('/a%2Fb', { host })).text).to.equal('path');
    });

    it('does not when it is not', async () => {
      const answer = await strict().s3.get('/proxied/key');
      expect([answer.status, answer.code]).to.deep.equal([403, 'SignatureDoesNotMatch']);
    });

    it('takes no forwarded host from the client', async () => {
      const { service } = strict();
      const signedHost = hostOf(service);
      const toSign = { method: 'GET', rawPath: '/proxied', headers: { host: signedHost } };
      const identity = { ...service, region: 'us-east-1' };
      const query = presignQuery(identity, toSign, new Date(), 60);
      const direct = new S3TestClient(service);
      const send = (headers: Record<string, string>) =>
        direct.send({ method: 'GET', path: `/proxied?${query}`, headers, signed: false });
      expect((await send({ host: signedHost })).status).to.equal(200);
      const forged = await send({ host: 'other.example', 'x-forwarded-host': signedHost });
      expect(forged.code).to.equal('SignatureDoesNotMatch');
      await direct.close();
    });
  });

  describe(`${kind.name}: Host replaced, and nothing said`, () => {
    const setup = useProxy(kind, 'replaced', { external_hosts: [`${BASE}:8443`, BASE] });

    it('verifies what was signed for an external host', async () => {
      const { s3 } = setup();
      for (const host of [BASE, `${BASE}:8443`]) {
        expect((await s3.put('/proxied/key', host, { host })).status).to.equal(200);
        expect((await s3.get('/proxied/key', { host })).text).to.equal(host);
      }
    });

    it('refuses any other', async () => {
      const { s3 } = setup();
      expect((await s3.get('/proxied/key', { host: 'other.example' })).code).to.equal(
        'SignatureDoesNotMatch',
      );
    });
  });
}

interface Setup {
  readonly service: Service;
  readonly proxy: Proxy;
  /** Through the proxy. */
  readonly s3: S3TestClient;
  /** Past the proxy. */
  readonly direct: S3TestClient;
}

/** A service with the bucket `proxied`, and a proxy in front, for the current suite. */
function useProxy(
  kind: ProxyKind,
  treatment: HostTreatment,
  config: Readonly<Record<string, unknown>>,
): () => Setup {
  let setup: Setup | undefined;

  before(async () => {
    const service = await startService({ listeners: 1, config });
    const proxy = await kind.start(service, treatment);
    const s3 = new S3TestClient({ ...service, endpoint: proxy.endpoint });
    setup = { service, proxy, s3, direct: new S3TestClient(service) };
    expect((await setup.direct.put('/proxied')).status).to.equal(200);
  });

  after(async () => {
    if (setup === undefined) return;
    await Promise.all([setup.s3.close(), setup.direct.close()]);
    await setup.proxy.stop();
    expect(await setup.service.stop()).to.equal(0);
  });

  return () => {
    if (setup === undefined) throw new Error('only tests may use the setup');
    return setup;
  };
}

/** The second one only when the service has begun with the request. */
async function* halves(
  half: Buffer,
  inProgress: () => Promise<number>,
): AsyncGenerator<Buffer, void, undefined> {
  yield half;
  await eventually(inProgress, (count) => count > 0);
  yield half;
}

function hostOf({ endpoint }: { readonly endpoint: string }): string {
  return new URL(endpoint).host;
}

async function inProgress(service: Service): Promise<number> {
  const answer = await fetch(`${service.adminEndpoint}/metrics`);
  const text = await answer.text();
  return Number(/^ringway_requests_in_progress(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1] ?? 0);
}
