import { expect } from 'chai';
import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { HttpResponse } from '../../src/http/exchange.js';
import type { EdgeLimits } from '../../src/http/limits.js';
import type { RawClient } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { closeEdges, startEdge, type Edge } from './support/edge.js';
import { texts } from './support/sources.js';

const HEAD = 'PUT /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const BODY = '5\r\nhello\r\n';
/** Where the library takes the body for complete: it drops two bytes more, whichever they are. */
const LAST_CHUNK = '0\r\n';
const SMUGGLED = 'DELETE /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';

const ANSWERS: readonly (readonly [what: string, response: () => HttpResponse, body: string])[] = [
  ['a text', () => ({ status: 200, headers: [], body: 'text' }), 'text'],
  ['an empty body', () => ({ status: 200, headers: [] }), ''],
  ['no body', () => ({ status: 204, headers: [] }), ''],
  [
    'a stream with its length',
    () => ({ status: 200, headers: [], body: texts('te', 'xt'), contentLength: 4 }),
    'text',
  ],
  ['a chunked stream', () => ({ status: 200, headers: [], body: texts('te', 'xt') }), 'text'],
  ['a chunked stream of nothing', () => ({ status: 200, headers: [], body: texts() }), ''],
];

describe('edge: what follows the last chunk of a request', () => {
  let edge: Edge;
  let client: RawClient;
  let paths: string[];

  afterEach(closeEdges);

  async function serve(
    response: () => HttpResponse,
    later: boolean,
    limits: Partial<EdgeLimits> = {},
  ): Promise<void> {
    paths = [];
    edge = await startEdge(async (exchange) => {
      paths.push(exchange.request.rawPath);
      await exchange.body.collect(1_000);
      if (later) await new Promise(setImmediate);
      await exchange.respond(response());
    }, limits);
    client = await edge.connect();
  }

  for (const [what, response, body] of ANSWERS) {
    for (const later of [false, true]) {
      describe(`answered with ${what}, ${later ? 'in a later turn' : 'at once'}`, () => {
        it('is no request when it comes in the same packet', async () => {
          await serve(response, later);
          client.send(`${HEAD}${BODY}${LAST_CHUNK}xx${SMUGGLED}`);
          await client.untilClosed();
          expect(paths).to.deep.equal(['/upload']);
          expect(edge.server.inFlight).to.equal(0);
        });

        it('is no request when it comes after the answer', async () => {
          await serve(response, later);
          client.send(`${HEAD}${BODY}${LAST_CHUNK}`);
          const answer = await client.readResponse();
          expect(answer.body.toString()).to.equal(body);
          expect(answer.values('connection')).to.deep.equal(['close']);
          client.send(`xx${SMUGGLED}`);
          expect(await client.untilClosed()).to.have.length(0);
          expect(paths).to.deep.equal(['/upload']);
        });

        it('may be late, and the connection then closes by itself', async () => {
          await serve(response, later, { drainTimeoutMs: 50, keepAliveTouchMs: 10 });
          client.send(`${HEAD}${BODY}${LAST_CHUNK}`);
          expect((await client.readResponse()).body.toString()).to.equal(body);
          client.send('\r\n');
          expect(await client.untilClosed()).to.have.length(0);
          expect(edge.server.inFlight).to.equal(0);
        });
      });
    }
  }

  it('is no request when the client announced what the library does not see', async () => {
    await serve(() => ({ status: 400, headers: [] }), false);
    client.send(
      `PUT /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n${BODY}${LAST_CHUNK}xx${SMUGGLED}`,
    );
    await client.untilClosed();
    expect(paths).to.deep.equal(['/upload']);
  });

  it('ends the connection when the client leaves, at once', async () => {
    await serve(() => ({ status: 200, headers: [] }), false);
    client.send(`${HEAD}${BODY}${LAST_CHUNK}\r\n`);
    await client.readResponse();
    client.destroy();
    await until(() => edge.server.inFlight === 0);
  });

  it('may be trailer fields that come after the answer', async () => {
    await serve(() => ({ status: 200, headers: [], body: 'text' }), false);
    client.send(`${HEAD}${BODY}${LAST_CHUNK}`);
    expect((await client.readResponse()).body.toString()).to.equal('text');
    client.send('X: y\r\n\r\n');
    await client.untilClosed();
    expect(paths).to.deep.equal(['/upload']);
  });

  it('is answered with 505 by the library when it is trailer fields in the same packet', async () => {
    await serve(() => ({ status: 200, headers: [], body: 'text' }), true);
    client.send(`${HEAD}${BODY}${LAST_CHUNK}X: y\r\n\r\n`);
    expect((await client.untilClosed()).toString('latin1')).to.match(/^HTTP\/1.1 505 /);
    expect(paths).to.deep.equal(['/upload']);
  });

  it('ends a chunked answer so that node:http understands it', async () => {
    await serve(() => ({ status: 200, headers: [], body: texts('te', 'xt') }), false);
    const url = `http://127.0.0.1:${edge.server.port}/upload`;
    const sending = request(url, { method: 'PUT' });
    sending.write('hel');
    sending.end('lo');
    const [response] = (await once(sending, 'response')) as [IncomingMessage];
    expect(await text(response)).to.equal('text');
    expect(response.complete).to.equal(true);
    await until(() => edge.server.inFlight === 0);
  });
});
