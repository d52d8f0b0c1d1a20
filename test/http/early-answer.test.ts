import { expect } from 'chai';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Exchange, HttpResponse } from '../../src/http/exchange.js';
import type { EdgeLimits } from '../../src/http/limits.js';
import { findProgram, mustRun } from '../support/programs.js';
import type { RawClient } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { closeEdges, startEdge, type Edge } from './support/edge.js';
import { skipBecause } from '../support/skip.js';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Bytes that may be under way when the server stops reading: the library's buffer, twice. */
const SLACK_BYTES = MIB;
const LARGE_BYTES = 100 * MIB;

function put(length: number): string {
  return `PUT /b/k HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
}

function* block(bytes: number) {
  const piece = Buffer.alloc(64 * KIB);
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
}

describe('edge: an answer before the upload has arrived', () => {
  const REFUSAL = { status: 403, headers: [], body: '<Error>no</Error>' } as const;

  let edge: Edge;
  let client: RawClient;
  let exchange: Exchange | undefined;

  afterEach(closeEdges);

  async function refuse(
    limits: Partial<EdgeLimits> = {},
    response: HttpResponse = REFUSAL,
  ): Promise<void> {
    exchange = undefined;
    edge = await startEdge(async (given) => {
      exchange = given;
      await given.respond(response);
    }, limits);
    client = await edge.connect();
  }

  it('keeps the connection when little is missing', async () => {
    await refuse({ drainBytesMax: 100 * KIB });
    client.send(`${put(100 * KIB)}begin`);
    const answer = await client.readResponse();
    expect(answer.status).to.equal(403);
    expect(answer.values('connection')).to.deep.equal([]);
    client.send(Buffer.alloc(100 * KIB - 5));
    expect((await client.get('/next')).status).to.equal(403);
    expect(client.pendingBytes).to.equal(0);
  });

  it('keeps the connection also when the upload was paused', async () => {
    const paused = await startEdge(
      async (given) => {
        if (given.request.method === 'PUT') {
          await until(() => given.body.bytesReceived >= 50 * KIB);
        }
        await given.respond(REFUSAL);
      },
      { requestBufferBytesMax: KIB },
    );
    client = await paused.connect();
    client.send(put(100 * KIB));
    client.send(Buffer.alloc(50 * KIB));
    expect((await client.readResponse()).values('connection')).to.deep.equal([]);
    client.send(Buffer.alloc(50 * KIB));
    expect((await client.get('/next')).status).to.equal(403);
  });

  it('keeps the connection of a client that reads no answer before it has sent 8 MiB', async () => {
    await refuse();
    // A socket without a reader: what the server sends waits in the kernel.
    client.socket.pause();
    client.send(put(8 * MIB));
    await new Promise<void>((resolve) => {
      client.socket.write(Buffer.alloc(8 * MIB), () => {
        resolve();
      });
    });
    client.socket.resume();
    const answer = await client.readResponse();
    expect(answer.status).to.equal(403);
    expect(answer.values('connection')).to.deep.equal([]);
    expect((await client.get('/next')).status).to.equal(403);
  });

  const ANSWERS: readonly (readonly [what: string, response: HttpResponse])[] = [
    ['a text', REFUSAL],
    ['an empty body', { status: 403, headers: [['x-a', 'b']] }],
    ['no body', { status: 304, headers: [['x-a', 'b']] }],
    ['a large body', { status: 403, headers: [], body: Buffer.alloc(MIB, 'x') }],
  ];
  for (const [what, response] of ANSWERS) {
    it(`closes after ${what} when much is missing, once the client has all of it`, async () => {
      await refuse({ drainTimeoutMs: 100, keepAliveTouchMs: 10 }, response);
      client.send(`${put(LARGE_BYTES)}begin`);
      const answer = await client.readResponse();
      expect(answer.status).to.equal(response.status);
      expect(answer.values('connection')).to.deep.equal(['close']);
      expect(answer.values('date')).to.have.length(1);
      expect(answer.values('content-length')).to.have.length(response.status === 304 ? 0 : 1);
      expect(await client.untilClosed()).to.have.length(0);
      expect(edge.server.inFlight).to.equal(0);
    });
  }

  it('closes also after a chunked upload, whose rest is not known', async () => {
    await refuse();
    client.send('PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
    expect((await client.readResponse()).values('connection')).to.deep.equal(['close']);
    client.send('0\r\n\r\n');
    expect(await client.untilClosed()).to.have.length(0);
  });

  it('closes at once when the client has sent everything', async () => {
    await refuse({ drainBytesMax: 10 });
    client.send(`${put(100)}begin`);
    expect((await client.readResponse()).values('connection')).to.deep.equal(['close']);
    expect(edge.server.inFlight).to.equal(1);
    client.send(Buffer.alloc(95));
    expect(await client.untilClosed()).to.have.length(0);
  });

  it('is over when the client leaves', async () => {
    await refuse();
    client.send(put(LARGE_BYTES));
    await client.readResponse();
    client.destroy();
    await until(() => edge.server.inFlight === 0);
    expect(exchange?.aborted).to.equal(false);
    expect(exchange?.signal.aborted).to.equal(false);
  });

  it('takes no more than the bound of an upload that goes on', async () => {
    const times = { drainTimeoutMs: 200, keepAliveTouchMs: 10 };
    await refuse({ drainBytesMax: MIB, receiveBufferBytes: 256 * KIB, ...times });
    client.send(put(LARGE_BYTES));
    for (const piece of block(8 * MIB)) client.send(piece);
    expect((await client.readResponse()).status).to.equal(403);
    await client.untilClosed();
    expect(exchange?.body.bytesReceived).to.be.at.least(MIB);
    expect(exchange?.body.bytesReceived).to.be.at.most(MIB + SLACK_BYTES);
  });

  it('is read by a client of node:http that sends 100 MiB', async () => {
    await refuse();
    const url = `http://127.0.0.1:${edge.server.port}/b/k`;
    const sending = request(url, { method: 'PUT', agent: false });
    sending.setHeader('content-length', LARGE_BYTES);
    // The rest of the upload cannot be sent; the answer counts.
    sending.on('error', () => undefined);
    Readable.from(block(LARGE_BYTES)).pipe(sending);
    const [response] = (await once(sending, 'response')) as [IncomingMessage];
    expect(response.statusCode).to.equal(403);
    expect(await text(response)).to.equal(REFUSAL.body);
    sending.destroy();
  });

  it('is read by curl that sends 100 MiB', async function () {
    if (findProgram('curl') === undefined) skipBecause(this, 'curl not installed');
    await refuse();
    const url = `http://127.0.0.1:${edge.server.port}/b/k`;
    const upload = `head -c ${LARGE_BYTES} /dev/zero | curl -s -T - -w ' %{http_code}' ${url}`;
    const { stdout } = await mustRun('sh', ['-c', upload]);
    expect(stdout).to.equal(`${REFUSAL.body} 403`);
  });
});
