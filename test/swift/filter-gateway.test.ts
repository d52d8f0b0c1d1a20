import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { RawClient } from '../support/raw-http.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { filterSecret, signatureHeaders, SwiftClient } from '../support/swift-client.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { useSwiftClient } from './support.js';

const POLICIES = ['gold', 'silver', 'ec21'];
const FOOTER_BYTES = 256;
const HELLO_MD5 = '5d41402abc4b2a76b9719d911017c592';

function withFooters(content: Buffer, footers: object | string): Buffer {
  const text = typeof footers === 'string' ? footers : JSON.stringify(footers);
  return Buffer.concat([content, Buffer.from(text.padEnd(FOOTER_BYTES))]);
}

function gatewayNames(headers: Readonly<Record<string, string>>): string[] {
  return Object.keys(headers).filter((name) => /gateway|sysmeta|backend/u.test(name));
}

describeWith(SWIFT_NEEDS, "the filter in a cluster's proxies", function () {
  this.timeout(120_000);
  const account = '/v1/AUTH_test';
  const container = (policy: string) => `${account}/filter-${policy}`;
  const lab = useOnce(sharedSwiftLab);
  const gateway = useOnce(() => SwiftClient.gateway(lab()), 'close');
  const owner = useSwiftClient(lab);
  const secret = useOnce(() => filterSecret(lab()));

  before(async () => {
    for (const policy of POLICIES) {
      const headers = { 'x-storage-policy': policy };
      const { status } = await owner().send('PUT', container(policy), { headers });
      expect(status, policy).to.be.oneOf([201, 202]);
    }
  });

  it('announces itself, with the same memcached servers on all proxies', async () => {
    const infos = await Promise.all(
      [0, 1].map(async (proxy) => {
        const { text } = await owner().send('GET', '/info', { proxy });
        return (JSON.parse(text) as { ringway?: { version: number; exclusive_create: string } })
          .ringway;
      }),
    );
    expect(infos[0]).to.include({ version: 1 });
    expect(infos[0]!.exclusive_create).to.match(/^[0-9a-f]{8}$/u);
    expect(infos[1]).to.deep.equal(infos[0]);
  });

  for (const policy of POLICIES) {
    describe(`on policy ${policy}`, () => {
      const path = (name: string) => `${container(policy)}/${name}`;

      it('carries system metadata for the gateway alone', async () => {
        const put = await gateway().send('PUT', path('o'), {
          headers: {
            'x-gateway-sysmeta-object-a': '1',
            'x-gateway-sysmeta-transient-t': '2',
            'x-object-meta-m': '3',
          },
          body: 'hello',
        });
        expect(put.status).to.equal(201);
        const written = put.headers['x-gateway-data-timestamp'];
        await gateway().send('POST', path('o'), {
          headers: { 'x-gateway-sysmeta-transient-u': '4' },
        });
        for (const method of ['HEAD', 'GET']) {
          const { headers } = await gateway().send(method, path('o'));
          expect(headers).to.include({
            'x-gateway-sysmeta-object-a': '1',
            'x-gateway-sysmeta-transient-u': '4',
            'x-gateway-data-timestamp': written,
          });
          expect(headers).not.to.have.property('x-gateway-sysmeta-transient-t');
          expect(Number(headers['x-timestamp'])).to.be.greaterThan(Number(written));
          expect(gatewayNames((await owner().send(method, path('o'))).headers)).to.deep.equal([]);
        }
      });

      it('takes nothing from others', async () => {
        await owner().send('PUT', path('forged'), {
          headers: {
            'x-object-sysmeta-a': '1',
            'x-object-transient-sysmeta-b': '1',
            'x-gateway-sysmeta-object-c': '1',
            'x-gateway-sysmeta-transient-d': '1',
            'x-backend-anything': '1',
            'x-gateway-footers': '3',
            'x-object-sysmeta-container-update-override-etag': 'forged',
          },
          body: 'hello',
        });
        const { headers, text } = await gateway().send('GET', path('forged'));
        expect(text).to.equal('hello');
        expect(gatewayNames(headers)).to.deep.equal(['x-gateway-data-timestamp']);
        const listing = await owner().send('GET', `${container(policy)}?prefix=forged&format=json`);
        expect((JSON.parse(listing.text) as object[])[0]).to.include({ hash: HELLO_MD5 });
      });

      it('takes footers from the end of a body', async () => {
        for (const size of [0, 1, 65_536, 300_000]) {
          const content = randomBytes(size);
          const put = await gateway().send('PUT', path('footed'), {
            headers: { 'x-gateway-footers': String(FOOTER_BYTES) },
            body: withFooters(content, { 'X-Gateway-Sysmeta-Object-F': `of ${String(size)}` }),
          });
          expect(put.status).to.equal(201);
          const got = await gateway().send('GET', path('footed'));
          expect(got.body.equals(content)).to.equal(true);
          expect(got.headers['x-gateway-sysmeta-object-f']).to.equal(`of ${String(size)}`);
        }
      });

      const bad: [name: string, footers: object | string, status: number][] = [
        ['that are no JSON', 'not JSON', 400],
        ['of other names', { 'X-Object-Sysmeta-A': '1' }, 400],
        ['with another MD5', { ETag: 'd41d8cd98f00b204e9800998ecf8427e' }, 422],
      ];
      for (const [name, footers, status] of bad) {
        it(`stores nothing with footers ${name}`, async () => {
          for (const size of [1, 200_000]) {
            const put = await gateway().send('PUT', path('bad'), {
              headers: { 'x-gateway-footers': String(FOOTER_BYTES) },
              body: withFooters(randomBytes(size), footers),
            });
            expect(put.status).to.equal(status);
            expect((await gateway().send('HEAD', path('bad'))).status).to.equal(404);
          }
        });
      }

      it('takes footers from the end of a body in chunks', async () => {
        for (const size of [0, 1, 65_536, 300_000]) {
          const content = randomBytes(size);
          const body = withFooters(content, { 'X-Gateway-Sysmeta-Object-F': `of ${String(size)}` });
          const put = await gateway().send('PUT', path('chunked'), {
            headers: { 'x-gateway-footers': String(FOOTER_BYTES) },
            body: (async function* () {
              for (let at = 0; at < body.length; at += 50_001) {
                yield await Promise.resolve(body.subarray(at, at + 50_001));
              }
            })(),
          });
          expect(put.status).to.equal(201);
          const got = await gateway().send('GET', path('chunked'));
          expect(got.body.equals(content)).to.equal(true);
          expect(got.headers['x-gateway-sysmeta-object-f']).to.equal(`of ${String(size)}`);
        }
      });

      for (const cut of [0, 100_000, 200_000, 200_000 + FOOTER_BYTES]) {
        it(`stores nothing of a body in chunks that ends after ${cut} bytes`, async () => {
          const body = withFooters(randomBytes(200_000), { 'X-Gateway-Sysmeta-Object-A': '1' });
          await cutShort(path('cut-chunks'), body, cut, true);
          expect((await gateway().send('HEAD', path('cut-chunks'))).status).to.equal(404);
        });
      }

      for (const cut of [0, 100_000, 200_000, 200_000 + FOOTER_BYTES - 1]) {
        it(`stores nothing of a body that ends after ${cut} bytes`, async () => {
          const body = withFooters(randomBytes(200_000), { 'X-Gateway-Sysmeta-Object-A': '1' });
          await cutShort(path('cut'), body, cut);
          expect((await gateway().send('HEAD', path('cut'))).status).to.equal(404);
        });
      }
    });
  }

  /** Sends the beginning of a PUT's body, and returns when the proxy is done with it. */
  async function cutShort(
    path: string,
    body: Buffer,
    bytes: number,
    inChunks = false,
  ): Promise<void> {
    const { port, hostname } = new URL(gateway().lab.state.endpoints[0]!);
    const { key } = gateway().lab.state.serviceUser;
    const login = await fetch(gateway().lab.state.authUrl, {
      headers: { 'x-auth-user': 'gateway:gw', 'x-auth-key': key },
    });
    const headers = {
      host: 'localhost',
      'x-auth-token': login.headers.get('x-auth-token')!,
      ...(inChunks
        ? { 'transfer-encoding': 'chunked' }
        : { 'content-length': String(body.length) }),
      'x-gateway-footers': String(FOOTER_BYTES),
      ...signatureHeaders(secret(), 'PUT', path),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const client = await RawClient.connect(Number(port), hostname, true);
    client.send(`PUT ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    if (inChunks && bytes > 0) client.send(`${bytes.toString(16)}\r\n`);
    client.send(body.subarray(0, bytes));
    if (inChunks && bytes > 0) client.send('\r\n');
    client.socket.end();
    expect((await client.readResponse('PUT')).status).to.equal(499);
    client.socket.destroy();
  }

  it('tells the gateway of the link that was followed', async () => {
    const path = `${container('gold')}/link`;
    const target = `${container('ec21')}/target`;
    await gateway().send('PUT', target, { headers: { 'x-gateway-sysmeta-object-a': '1' } });
    await gateway().send('PUT', path, {
      headers: {
        'x-symlink-target': 'filter-ec21/target',
        'x-gateway-sysmeta-object-of': 'the link',
      },
    });
    const requester = { role: 'owner', account: 'AUTH_gateway', user: 'gateway:gw' };
    const behalf = { 'x-gateway-for': encodeURIComponent(JSON.stringify(requester)) };
    const { headers } = await gateway().send('GET', path, { headers: behalf });
    expect(headers).to.include({
      'content-location': target,
      'x-gateway-link-etag': 'd41d8cd98f00b204e9800998ecf8427e',
      'x-gateway-link-sysmeta-of': 'the link',
      'x-gateway-sysmeta-object-a': '1',
    });
    expect(headers['x-gateway-link-timestamp']).not.to.equal(headers['x-gateway-data-timestamp']);
    const plain = await owner().send('GET', path);
    expect(plain.headers).to.have.property('content-location');
    expect(gatewayNames(plain.headers)).to.deep.equal([]);
  });

  it('shows the attributes of listings to the gateway alone', async () => {
    await gateway().send('PUT', `${container('gold')}/listed`, {
      headers: {
        'x-gateway-sysmeta-object-container-update-override-etag': `${HELLO_MD5}; s3_etag=e-2; rw_x=1`,
      },
      body: 'hello',
    });
    const query = `${container('gold')}?prefix=listed&format=json`;
    const entries = async (client: SwiftClient) =>
      JSON.parse((await client.send('GET', query)).text) as object[];
    expect(await entries(gateway())).to.have.nested.property(
      '[0].hash',
      `${HELLO_MD5}; s3_etag=e-2; rw_x=1`,
    );
    expect((await entries(owner()))[0]).to.include({ hash: HELLO_MD5, s3_etag: '"e-2"' });
    const xml = await owner().send('GET', `${container('gold')}?prefix=listed&format=xml`);
    expect(xml.text).to.contain(`<hash>${HELLO_MD5}</hash>`);
  });

  describe('with a signature', () => {
    const path = `${container('gold')}/o`;
    const now = () => Math.floor(Date.now() / 1000);
    const status = async (method: string, target: string, headers: Record<string, string>) =>
      (await owner().send(method, target, { headers })).status;

    it('lets the very request pass that it signs', async () => {
      expect(await status('GET', path, signatureHeaders(secret(), 'GET', path))).to.equal(200);
    });

    it('refuses another secret, time, method, path or query', async () => {
      const sign = (method: string, target: string, seconds?: number) =>
        signatureHeaders(secret(), method, target, seconds);
      const other = signatureHeaders('a secret of others', 'GET', path);
      expect(await status('GET', path, other)).to.equal(403);
      expect(await status('GET', path, sign('GET', path, now() - 400))).to.equal(403);
      expect(await status('GET', path, sign('GET', path, now() + 400))).to.equal(403);
      expect(await status('HEAD', path, sign('GET', path))).to.equal(403);
      expect(await status('GET', `${path}2`, sign('GET', path))).to.equal(403);
      expect(await status('GET', `${path}?x=1`, sign('GET', path))).to.equal(403);
      expect(await status('GET', path.replace('o', '%6F'), sign('GET', path))).to.equal(403);
      const { text } = await owner().send('GET', path, { headers: other });
      expect(text).to.contain('is the secret the same?');
    });
  });
});
