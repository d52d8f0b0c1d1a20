import { expect } from 'chai';
import { reset, shortBody, answer, type Step } from '../support/fake-swift.js';
import {
  missing,
  openDirectFixture,
  REF,
  stored,
  tombstone,
  type DirectFixture,
} from './support.js';
import { codeOf } from '../../../support/failure.js';

const ID = '0123456789abcdef0123456789abcdef';
/** Headers of an object that has nothing special. */
const PLAIN = { ETag: '"e1"', 'X-Backend-Data-Timestamp': '1700000000.00000' };
/** Of what is read. */
const VERSION = `c%2Bversions/${Buffer.from(REF.object).toString('hex')}/${ID}`;
const partName = (index: number): string => `/c+segments/o/${ID}/${index + 1}`;

describe('direct reads', () => {
  let fixture: DirectFixture;

  beforeEach(async () => {
    fixture = await openDirectFixture();
  });

  afterEach(() => fixture.close());

  it('ask the first primary alone, by path of the device', async () => {
    fixture.script(stored('bytes'));
    expect(await fixture.read()).to.deep.equal({ status: 200, text: 'bytes' });
    const { url, headers } = fixture.nodes[0]!.seen[0]!;
    expect(url).to.match(/^\/d0\/[01]\/AUTH_a\/c\/o$/);
    expect(headers['x-backend-storage-policy-index']).to.equal('0');
    expect(headers['x-auth-token']).to.equal(undefined);
    expect(fixture.asked()).to.deep.equal([1, 0, 0]);
    expect(fixture.proxy.requests).to.deep.equal([]);
    expect(fixture.ways).to.deep.equal(['direct']);
  });

  it('go on with the next server after 404, an error and a connection that ends', async () => {
    for (const first of [missing, answer(500), answer(507), reset]) {
      await fixture.close();
      fixture = await openDirectFixture();
      fixture.script(first, stored('b'));
      expect((await fixture.read()).text).to.equal('b');
      expect(fixture.asked()).to.deep.equal([1, 1, 0]);
      expect(fixture.ways).to.deep.equal(['direct']);
    }
  });

  it('leave the word that nothing is there to a proxy', async () => {
    fixture.script(missing, missing, missing);
    expect((await fixture.read()).text).to.equal('of the proxy');
    expect(fixture.ways).to.deep.equal(['missing']);
    expect(fixture.asked()).to.deep.equal([1, 1, 1]);
  });

  it('ask a proxy when servers that might have it do not answer', async () => {
    fixture.script(missing, reset, answer(503));
    expect((await fixture.read()).text).to.equal('of the proxy');
    expect(fixture.ways).to.deep.equal(['nodes_failed']);
    expect(fixture.errors).to.deep.equal(['reset', 'status']);
  });

  it('believe a deletion rather than data that is older', async () => {
    fixture.script(tombstone('1700000001.00000'), stored('old'), stored('old'));
    expect((await fixture.read()).text).to.equal('of the proxy');
    expect(fixture.ways).to.deep.equal(['missing']);
  });

  it('take data that is newer than a deletion', async () => {
    fixture.script(tombstone('1600000000.00000'), stored('new'));
    expect((await fixture.read()).text).to.equal('new');
  });

  it('continue a body that breaks off from a server with the same object', async () => {
    fixture.script(
      shortBody(10, '0123', PLAIN),
      stored('0123456789', { ETag: '"other"' }),
      answer(206, '456789', {
        ...PLAIN,
        'Content-Range': 'bytes 4-9/10',
      }),
    );
    expect((await fixture.read()).text).to.equal('0123456789');
    const { headers } = fixture.nodes[2]!.seen[0]!;
    expect(headers).to.include({ range: 'bytes=4-9', 'if-match': '"e1"' });
    expect(fixture.errors).to.deep.equal(['cut']);
  });

  it('fail when no server has the rest of the same object', async () => {
    const short = shortBody(10, '0123', { 'X-Backend-Data-Timestamp': '1.0' });
    fixture.script(short, missing, missing);
    expect(await codeOf(fixture.read())).to.equal('Unavailable');
  });

  it('do not continue with a rest of another length', async () => {
    const rest = (text: string, range: string): Step =>
      answer(206, text, {
        ...PLAIN,
        'Content-Range': `bytes ${range}/10`,
      });
    fixture.script(shortBody(10, '0123', PLAIN), rest('45', '4-9'), rest('456789abc', '4-9'));
    expect(await codeOf(fixture.read())).to.equal('Unavailable');
  });

  const manifest = (...sizes: number[]): Step =>
    manifestOf(...sizes.map((bytes, i) => [partName(i), bytes] as const));

  const manifestOf = (...parts: (readonly [name: string, bytes: number])[]): Step =>
    stored(JSON.stringify(parts.map(([name, bytes], i) => ({ name, bytes, hash: `e${i}` }))), {
      'X-Static-Large-Object': 'True',
      'X-Object-Sysmeta-Slo-Size': String(parts.reduce((sum, [, bytes]) => sum + bytes, 0)),
      'X-Object-Sysmeta-Slo-Etag': 'whole',
    });

  it('put a large object together', async () => {
    fixture.nodes[0]!.steps = [
      manifest(3, 2),
      stored('abc', { ETag: '"e0"' }),
      stored('de', { ETag: '"e1"' }),
    ];
    expect(await fixture.read()).to.deep.equal({ status: 200, text: 'abcde' });
    expect(fixture.ways).to.deep.equal(['direct', 'direct', 'direct']);
  });

  it('ask for the next segment not before the end of one is near', async () => {
    const size = 5 * 1024 * 1024;
    const first: { end?: () => void } = {};
    fixture.nodes[0]!.steps = [
      (request) => {
        const { response, url } = request;
        if (url.endsWith('/c/o')) return manifest(size, 2)(request);
        if (!url.endsWith('/1')) return stored('de', { ETag: '"e1"' })(request);
        response.writeHead(200, {
          'Content-Length': size,
          ETag: '"e0"',
          'X-Backend-Data-Timestamp': '1700000000.00000',
        });
        response.write(Buffer.alloc(1024));
        first.end = () => response.end(Buffer.alloc(size - 1024));
      },
    ];
    const context = { requestId: 'r' };
    const { body } = await fixture.transport.request({ context, method: 'GET', ...REF });
    const chunks = body[Symbol.asyncIterator]();
    let read = 0;
    const next = async (): Promise<boolean> => {
      const result = await chunks.next();
      if (result.done !== true) read += result.value.length;
      return result.done !== true;
    };
    await next();
    // Requests that were sent before it have arrived as well.
    await fixture.read({ object: 'other' });
    const seen = (): string[] => fixture.nodes[0]!.seen.map(({ url }) => url.slice(-2));
    expect(seen()).to.deep.equal(['/o', '/1', 'er']);
    first.end?.();
    while (await next());
    expect(read).to.equal(size + 2);
    expect(seen().at(-1)).to.equal('/2');
  });

  it('fail in the middle of a large object whose segment was replaced', async () => {
    fixture.nodes[0]!.steps = [
      manifest(3, 2),
      stored('abc', { ETag: '"e0"' }),
      stored('XX', { ETag: '"other"' }),
    ];
    expect(await codeOf(fixture.read())).to.equal('Unavailable');
  });

  it('leave a large object whose first segment was replaced to a proxy', async () => {
    fixture.nodes[0]!.steps = [manifest(3, 2), stored('XXX', { ETag: '"other"' })];
    expect((await fixture.read()).text).to.equal('of the proxy');
    expect(fixture.ways.at(-1)).to.equal('large_object');
  });

  it('leave a manifest that breaks off to a proxy', async () => {
    const headers = {
      'X-Backend-Data-Timestamp': '1700000000.00000',
      'X-Static-Large-Object': 'True',
      'X-Object-Sysmeta-Slo-Size': '5',
      'X-Object-Sysmeta-Slo-Etag': 'whole',
    };
    fixture.script(shortBody(100, '[', headers));
    expect((await fixture.read()).text).to.equal('of the proxy');
    expect(fixture.ways).to.deep.equal(['nodes_failed']);
  });

  it('free their connection when a body is left before it was read', async () => {
    await fixture.close();
    fixture = await openDirectFixture({ connectionsMax: 1 });
    const leave = async (): Promise<void> => {
      const context = { requestId: 'r' };
      const { body } = await fixture.transport.request({ context, method: 'GET', ...REF });
      await body[Symbol.asyncIterator]().return?.();
    };
    const long = 'x'.repeat(4 * 1024 * 1024);
    fixture.nodes[0]!.steps = [
      stored(long),
      manifest(long.length),
      stored(long, { ETag: '"e0"' }),
      stored('b'),
    ];
    await leave();
    await leave();
    expect((await fixture.read()).text).to.equal('b');
    expect(fixture.asked()).to.deep.equal([4, 0, 0]);
  });

  it('ask a proxy for what they cannot read, and remember it', async () => {
    fixture.script(stored('[]', { 'X-Object-Manifest': 'd/p' }));
    expect((await fixture.read()).text).to.equal('of the proxy');
    expect((await fixture.read()).text).to.equal('of the proxy');
    expect(fixture.asked()).to.deep.equal([1, 0, 0]);
    expect(fixture.ways).to.deep.equal(['dynamic_large_object', 'dynamic_large_object']);
  });

  it('ask a proxy for an object with names that HTTP does not allow', async () => {
    fixture.script(({ incoming }) => {
      incoming.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Object-Meta-ä: 1\r\n\r\n');
    });
    expect((await fixture.read()).text).to.equal('of the proxy');
    expect(fixture.ways).to.deep.equal(['not_understood']);
    expect(fixture.errors).to.deep.equal([]);
  });

  it('follow a link', async () => {
    fixture.nodes[0]!.steps = [
      stored('', { 'X-Object-Sysmeta-Symlink-Target': VERSION }),
      stored('of the target'),
    ];
    const context = { requestId: 'r' };
    const response = await fixture.transport.request({ context, method: 'GET', ...REF });
    expect(await response.text(100)).to.equal('of the target');
    expect(response.headers.get('content-location')).to.equal(`/v1/AUTH_a/${VERSION}`);
    expect(response.headers.get('x-gateway-link-sysmeta-symlink-target')).to.equal(VERSION);
    const paths = fixture.nodes[0]!.seen.map(({ url }) => url.split('/').slice(3).join('/'));
    expect(paths).to.deep.equal(['AUTH_a/c/o', `AUTH_a/${VERSION}`]);
  });

  it('leave a link to a link, and one into an unknown container, to a proxy', async () => {
    for (const container of ['c', 'd']) {
      const target = VERSION.replace('c%2B', `${container}%2B`);
      fixture.nodes[0]!.steps = [stored('', { 'X-Object-Sysmeta-Symlink-Target': target })];
      await fixture.read({ container });
    }
    expect(fixture.ways).to.deep.equal(['link', 'policy_unknown']);
  });

  it('leave links and segments that are not of the key to a proxy, which asks who may read', async () => {
    const pointers = [
      stored('', { 'X-Object-Sysmeta-Symlink-Target': 'd/t' }),
      stored('', { 'X-Object-Sysmeta-Symlink-Target': VERSION.replace('/6f/', '/70/') }),
      manifestOf(['/d/s', 3], [partName(0), 2]),
      manifestOf([partName(0), 3], [partName(1).replace('/o/', '/p/'), 2]),
    ];
    for (const [index, pointer] of pointers.entries()) {
      await fixture.close();
      fixture = await openDirectFixture();
      fixture.nodes[0]!.steps = [pointer, stored('abc', { ETag: '"e0"' })];
      expect((await fixture.read()).text).to.equal('of the proxy');
      expect(fixture.asked()).to.deep.equal([1, 0, 0]);
      expect(fixture.ways).to.deep.equal([index < 2 ? 'link' : 'large_object']);
    }
  });
});
