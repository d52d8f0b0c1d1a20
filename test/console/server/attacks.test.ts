import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import Fastify from 'fastify';
import { discardRest, limitBodies } from '../../../console/server/bodies.js';
import { useOnce } from '../../support/fixture.js';
import { serve } from '../../support/serve.js';
import { change, makeContainer, ok, query, unique, upload } from '../files/support.js';
import { codeOf, expectRefused, type ConsoleClient } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { sendHalves } from '../../support/half-requests.js';

/** The same type for Fastify's parser, and so for every limit. */
const BYTES_WITH_PARAMETER = 'Application/Octet-Stream ;x=y';
const INJECTED = 'a\r\nX-Injected: 1';

describe('console under attack', () => {
  const container = unique('attacked');
  const bed = useOnce(startTestBed, 'close');
  let client: ConsoleClient;

  before(async () => {
    client = await bed().login();
    await makeContainer(client, container);
    await ok(upload(client, container, 'o', 'body'), 201);
  });

  /** Sends bytes as they are. @returns all that comes back until the end */
  async function raw(request: string): Promise<string> {
    const socket = connect(bed().console.port, '127.0.0.1');
    socket.end(request.replaceAll('\n', '\r\n'));
    return text(socket);
  }

  it('serves no file but those of its pages', async () => {
    for (const path of [
      '/../package.json',
      '/assets/x/ui/../../../package.json',
      '/assets/x/ui/%2e%2e/%2e%2e/server/app.ts',
      '/assets/x/ui/..%2f..%2fserver%2fapp.ts',
      '/assets/x/ui/%5c..%5capp.js',
      '//etc/passwd',
      '/assets/x/ui/files.js/../../../server/app.ts',
      '/assets/x/ui/css/',
      '/.env',
    ]) {
      const answer = await client.get(path);
      expect([400, 404], `${path}: ${answer.text.slice(0, 100)}`).to.include(answer.status);
    }
  });

  it('keeps no more than 256 connections of one address, and serves those that ask', async () => {
    const end = await sendHalves(bed().console.port, 300, 256);
    expect((await client.get('/healthz')).status).to.equal(200);
    end();
  });

  it('counts the requests of a session apart from those of others at its address', async () => {
    const left = async (one: ConsoleClient, path: string): Promise<number> =>
      Number((await one.get(path)).headers['x-ratelimit-remaining']);
    const first = await left(client, '/api/session');
    const others = [bed().client(), await bed().login()];
    const theirs = await left(others[0]!, '/healthz');
    for (let i = 0; i < 5; i++) for (const one of others) await one.get('/healthz');
    await others[1]!.get('/api/session');
    expect(await left(client, '/api/session')).to.equal(first - 1);
    expect(await left(others[0]!, '/healthz')).to.equal(theirs - 11);
  });

  it('answers no name but its own, however it is said', async () => {
    const { port } = bed().console;
    const foreign = ['evil.example', `evil.example:${port}`, `127.0.0.1:${port}.evil`, ''];
    // Without a port they are those of whatever else listens on this machine.
    for (const host of [...foreign, '127.0.0.1', 'localhost', '[::1]', `localhost:${port + 1}`]) {
      expect(await raw(`GET /healthz HTTP/1.1\nHost: ${host}\nConnection: close\n\n`)).to.match(
        /^HTTP\/1.1 4(?:00|21)/,
      );
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      expect(await raw(`GET /healthz HTTP/1.1\nHost: ${host}\nConnection: close\n\n`)).to.match(
        /^HTTP\/1.1 200/,
      );
    }
    const target = `GET http://evil.example/healthz HTTP/1.1\nHost: 127.0.0.1:${port}\nConnection: close\n\n`;
    expect(await raw(target))
      .to.match(/^HTTP\/1.1 [24]/)
      .and.not.to.include('evil.example');
    const two = `GET /healthz HTTP/1.1\nHost: 127.0.0.1:${port}\nHost: evil\nConnection: close\n\n`;
    expect(await raw(two)).to.match(/^HTTP\/1.1 (?:200|400)/);
    const forwarded = await client.get('/healthz', { 'x-forwarded-host': 'evil.example' });
    expect(forwarded.status).to.equal(200);
  });

  it('changes nothing by GET or HEAD, and nothing for another origin', async () => {
    const path = `/api/files/container?${query({ name: container })}`;
    for (const [method, headers] of [
      ['DELETE', { origin: 'null' }],
      ['DELETE', { origin: `http://127.0.0.1:${bed().console.port + 1}` }],
      ['DELETE', { origin: `https://127.0.0.1:${bed().console.port}` }],
      ['DELETE', { 'sec-fetch-site': 'same-site' }],
      ['DELETE', { 'sec-fetch-site': 'none', origin: undefined }],
      ['DELETE', { 'x-csrf-token': undefined }],
      ['POST', { 'x-http-method-override': 'DELETE', 'x-csrf-token': undefined }],
    ] as const) {
      const answer = await client.send(method, path, { headers });
      expect([403, 404], JSON.stringify(headers)).to.include(answer.status);
    }
    for (const method of ['TRACE', 'OPTIONS', 'PROPFIND']) {
      const { status } = await client.send(method, path);
      expect(status, method).to.be.within(400, 499);
    }
    const answer = await client.get('/api/session', { origin: 'http://evil.example' });
    expect(answer.headers).not.to.have.any.keys([
      'access-control-allow-origin',
      'access-control-allow-credentials',
    ]);
  });

  it('takes forms for no requests', async () => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'application/json; charset=utf-16, text/plain',
      '',
    ]) {
      const headers = { 'content-type': type };
      const { status } = await client.send('POST', '/api/files/delete', { body: '{}', headers });
      expect([400, 415], type).to.include(status);
    }
  });

  it('lets no text end a header, and calls it the mistake that it is', async () => {
    const place = { container, name: 'o' };
    const patch = (body: object) => change(client, 'object', { ...place, ...body });
    const refused = [
      await patch({ meta: { colour: INJECTED } }),
      await patch({ meta: { colour: 'a\0b' } }),
      await patch({ meta: { [INJECTED]: 'x' } }),
      await patch({ meta: {}, content_type: `text/plain${INJECTED}` }),
      await upload(client, container, 'typed', 'x', { type: INJECTED }),
      await client.send('PUT', '/api/files/container', {
        body: { name: 'photos', policy: INJECTED },
      }),
      await change(client, 'acl', { name: container, read: INJECTED, write: '' }),
      await bed().client().login({ account: 'test', user: INJECTED, key: 'x' }),
      await bed().client().login({ account: 'test', user: 'tester', key: INJECTED }),
    ];
    expect(refused.map((answer) => answer.status)).to.deep.equal(refused.map(() => 400));
  });

  it('sends names of objects back as one header', async () => {
    const name = `${INJECTED}";\u2028ü.html`;
    await ok(upload(client, container, name, 'x'), 201);
    const path = `/api/files/object/body?${query({ container, name, disposition: 'inline' })}`;
    const { headers } = await ok(client.get(path), 200);
    expect(headers).not.to.have.property('x-injected');
    expect(headers['content-disposition']).to.equal(
      `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    );
  });

  it('bounds what it reads, before a login most of all', async () => {
    const large = { account: 'test', user: 'tester', key: 'x'.repeat(20_000) };
    expect(codeOf(await bed().client().login(large))).to.equal('too_large');
    const huge = { container, names: Array.from({ length: 5000 }, () => 'x'.repeat(1000)) };
    expect(codeOf(await client.post('/api/files/zip', huge))).to.equal('too_large');
    const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
    const headers = { 'content-type': 'application/json' };
    for (const body of [deep, '{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}', '{']) {
      const answer = await client.send('POST', '/api/files/delete', { body, headers });
      await expectRefused(answer, 400, 'invalid_argument');
    }
    const long = await client.get(`/api/files/objects?container=${'x'.repeat(20_000)}`);
    expect(long.status).to.equal(431);
  });

  it('keeps a few streams of events for each session, and sends further ones away', async () => {
    const streams = Array.from({ length: 12 }, () => client.events());
    const first: (string | undefined)[] = [];
    for (const stream of streams) {
      const next = await stream.next();
      first.push(next.done === true ? undefined : next.value.event);
    }
    expect(first.slice(8)).to.deep.equal(['full', 'full', 'full', 'full']);
    const ended = streams.slice(8).map(async (stream) => (await stream.next()).done);
    expect(await Promise.all(ended)).to.deep.equal([true, true, true, true]);
    const kept = streams.slice(0, 8).map((stream) => stream.next());
    await ok(client.send('DELETE', '/api/session'), 204);
    for (const { value } of await Promise.all(kept)) {
      expect((value as { event: string }).event).to.equal('session_end');
    }
    for (const stream of streams) await stream.return(undefined);
    client = await bed().login();
  });

  it('bounds what waits in a session', async () => {
    const names = Array.from({ length: 50 }, (_, i) => `none-${i}`);
    const body = { container, names, mode: 'trash' };
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => client.post('/api/files/delete', body)),
    );
    const codes = answers.map(({ status }) => status);
    expect(codes).to.include(202).and.to.include(503);
    const busy = answers.find(({ status }) => status === 503);
    expect(busy?.headers).to.have.property('retry-after');
  });

  it('says why it refuses a body, while that is still on its way', async () => {
    const bytes = 20 * 1024 * 1024;
    const path = `/api/files/object/body?${query({ container, name: 'o' })}`;
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(bytes) };
    const request = client.send('PUT', path, { body: Buffer.alloc(bytes), headers });
    await expectRefused(request, 412, 'exists');
  });
});

describe('console bodies', () => {
  it('cuts JSON that drips, and lets bytes of objects take their time', async () => {
    const app = Fastify();
    limitBodies(app, 50);
    app.addContentTypeParser('application/octet-stream', (_request, payload, done) => {
      done(null, payload);
    });
    app.post('/', async (request) => text(request.body as NodeJS.ReadableStream));
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    try {
      const types = ['application/octet-stream', BYTES_WITH_PARAMETER, 'application/json'];
      const [bytes, more, json] = types.map((type) => {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined);
        socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n`);
        socket.write('Content-Length: 2\r\n\r\n{');
        return socket;
      }) as [Socket, Socket, Socket];
      json.resume();
      await closed(json);
      for (const socket of [bytes, more]) {
        socket.end('}');
        expect(await text(socket)).to.match(/^HTTP\/1.1 200 OK/);
      }
    } finally {
      await app.close();
    }
  });

  it('cuts clients that never stop sending what was refused', async () => {
    const server = await serve((request, response) => {
      request.once('data', () => {
        discardRest(request);
        response.writeHead(413).end('no');
      });
    });
    const { port } = server;
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999\r\n\r\n');
    const block = Buffer.alloc(1024 * 1024);
    const send = () => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', send).resume();
    send();
    await closed(socket);
    server.close();
  });
});

/** However it came to it. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });
}
