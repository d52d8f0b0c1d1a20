import { expect } from 'chai';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { ByteSource } from '../../src/lib/cancellation.js';
import type { HttpResponse, SendResult } from '../../src/http/exchange.js';
import type { EdgeLimits } from '../../src/http/limits.js';
import type { RawClient } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { closeEdges, startEdge, type Edge } from './support/edge.js';
import { CountingSource, firstWrongByte, texts } from './support/sources.js';

const MIB = 1024 * 1024;
/** More than both kernels' buffers and a chunk: net.ipv4.tcp_wmem and tcp_rmem are 4 and 32 MiB. */
const KERNEL_BYTES_MAX = 40 * MIB;

describe('edge: streamed responses', () => {
  let edge: Edge;
  let client: RawClient;
  let result: SendResult | undefined;

  afterEach(closeEdges);

  type Body = Omit<HttpResponse, 'status' | 'headers'>;

  async function start(response: Body, limits: Partial<EdgeLimits>): Promise<void> {
    result = undefined;
    edge = await startEdge(async (exchange) => {
      result = await exchange.respond({ status: 200, headers: [], ...response });
    }, limits);
  }

  async function serve(response: Body): Promise<void> {
    await start(response, {});
    client = await edge.connect();
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  }

  /** The client reads the head and then waits: the body fills the buffers on the way. */
  async function serveStalled(
    response: Body,
    limits: Partial<EdgeLimits> = {},
  ): Promise<IncomingMessage> {
    await start(response, limits);
    const request = get({ host: '127.0.0.1', port: edge.server.port, agent: false });
    const [message] = (await once(request, 'response')) as [IncomingMessage];
    message.on('error', () => undefined);
    return message;
  }

  async function settled(): Promise<SendResult> {
    await until(() => result !== undefined && edge.server.inFlight === 0);
    return result!;
  }

  for (const [what, known] of [
    ['with a length', true],
    ['of unknown length', false],
  ] as const) {
    describe(what, () => {
      const reply = (body: CountingSource) =>
        known ? { body, contentLength: body.length } : { body };
      const replyOf6 = (body: ByteSource) => (known ? { body, contentLength: 6 } : { body });

      it('sends all bytes, each chunk before the next is asked for', async () => {
        const source = new CountingSource(61, 300_000);
        const body = await buffer(await serveStalled(reply(source)));
        expect(body.length).to.equal(source.length);
        expect(firstWrongByte(body, source.chunkBytes)).to.equal(-1);
        expect(await settled()).to.deep.equal({ bytesSent: source.length, abortedBy: null });
        expect(source.finished).to.equal(true);
        expect(source.returned).to.equal(0);
      });

      it('asks for no more than a slow reader takes', async () => {
        const source = new CountingSource(64, MIB);
        const message = await serveStalled(reply(source));
        let before = -1;
        // Full when a hundred turns bring nothing more.
        while (source.pulled > before) {
          before = source.pulled;
          for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
        }
        expect(source.pulledBytes).to.be.greaterThan(0).and.at.most(KERNEL_BYTES_MAX);
        const body = await buffer(message);
        expect(body.length).to.equal(source.length);
        expect(firstWrongByte(body, source.chunkBytes)).to.equal(-1);
        expect((await settled()).abortedBy).to.equal(null);
      });

      it('lets go of the source once when the client leaves', async () => {
        const source = new CountingSource(64, MIB);
        const message = await serveStalled(reply(source));
        message.destroy();
        expect((await settled()).abortedBy).to.equal('client');
        expect(source.returned).to.equal(1);
        expect(source.finished).to.equal(false);
      });

      it('cuts a reader off that takes nothing until the deadline', async () => {
        const source = new CountingSource(64, MIB);
        await serveStalled(reply(source), { keepAliveTouchMs: 5, responseStallTimeoutMs: 50 });
        expect((await settled()).abortedBy).to.equal('deadline');
        expect(source.returned).to.equal(1);
      });

      it('cuts the connection when the source throws', async () => {
        const broken = new Error('disk on fire');
        const source: ByteSource = (async function* () {
          yield Buffer.from('abc');
          await new Promise(setImmediate);
          throw broken;
        })();
        await serve(replyOf6(source));
        const raw = (await client.untilClosed()).toString();
        expect(raw)
          .to.match(/abc/)
          .and.not.match(/0\r\n\r\n$/);
        const sent = await settled();
        expect(sent).to.deep.equal({ bytesSent: 3, abortedBy: 'source', error: broken });
        expect(edge.errors).to.deep.equal([]);
      });

      it('cuts the connection when the source throws before its first byte', async () => {
        const source: ByteSource = {
          [Symbol.asyncIterator]: () => ({
            next: () => {
              throw new Error('no such file');
            },
          }),
        };
        await serve(replyOf6(source));
        expect(await client.untilClosed()).to.have.length(0);
        expect((await settled()).abortedBy).to.equal('source');
      });

      it('does not wait for a source that hangs when the client leaves', async () => {
        let returned = 0;
        const source: ByteSource = {
          [Symbol.asyncIterator]: () => ({
            next: () => new Promise(() => undefined),
            return: () => {
              returned += 1;
              return Promise.reject(new Error('cannot stop'));
            },
          }),
        };
        await serve(replyOf6(source));
        await until(() => edge.server.inFlight === 1);
        client.destroy();
        expect((await settled()).abortedBy).to.equal('client');
        expect(returned).to.equal(1);
      });
    });
  }

  it('cuts the connection when the source is shorter than announced', async () => {
    await serve({ body: texts('ab', 'cd'), contentLength: 5 });
    expect((await client.untilClosed()).toString()).to.match(/abcd$/);
    const { abortedBy, bytesSent } = await settled();
    expect({ abortedBy, bytesSent }).to.deep.equal({ abortedBy: 'source', bytesSent: 4 });
  });

  it('cuts the connection before a chunk that exceeds what was announced', async () => {
    await serve({ body: texts('ab', 'cd'), contentLength: 3 });
    expect((await client.untilClosed()).toString()).to.match(/ab$/);
    expect((await settled()).abortedBy).to.equal('source');
  });

  it('reports a source that goes on after the announced length', async () => {
    await serve({ body: texts('ab', 'cd'), contentLength: 2 });
    expect((await client.readResponse()).body.toString()).to.equal('ab');
    expect((await settled()).abortedBy).to.equal('source');
  });

  it('sends nothing when 0 bytes are announced and some come', async () => {
    await serve({ body: texts('ab'), contentLength: 0 });
    expect(await client.untilClosed()).to.have.length(0);
    expect((await settled()).abortedBy).to.equal('source');
  });

  it('sends a large buffer at the pace of its reader', async () => {
    const body = Buffer.alloc(48 * MIB, 'x');
    const message = await serveStalled({ body });
    expect(result).to.equal(undefined);
    expect((await buffer(message)).equals(body)).to.equal(true);
    expect((await settled()).bytesSent).to.equal(body.length);
  });

  it('keeps the connection after each of them', async () => {
    await serve({ body: Buffer.alloc(MIB) });
    await client.readResponse();
    expect((await client.get('/')).body).to.have.length(MIB);
  });

  it('lets go of a source that is not sent', async () => {
    const unsent = new CountingSource(1, 1);
    let sent: SendResult | undefined;
    const gone = await startEdge(async (exchange) => {
      await until(() => exchange.aborted);
      sent = await exchange.respond({ status: 200, headers: [], body: unsent, contentLength: 1 });
    });
    const leaver = await gone.connect();
    leaver.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => gone.server.inFlight === 1);
    leaver.destroy();
    await until(() => sent !== undefined);
    expect(sent).to.deep.equal({ bytesSent: 0, abortedBy: 'client' });
    expect(unsent).to.include({ returned: 1, pulled: 0 });
  });
});
