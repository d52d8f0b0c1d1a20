import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { EdgeState } from '../../src/http/edge-state.js';
import { ClientAbortedError, type Exchange } from '../../src/http/exchange.js';
import { DEFAULT_EDGE_LIMITS } from '../../src/http/limits.js';
import { RequestBodyStream } from '../../src/http/request-body.js';
import { mustRun } from '../support/programs.js';
import type { RawClient } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { closeEdges, startEdge, type Edge } from './support/edge.js';
import { uploadPiece } from './support/upload-pattern.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const UPLOADER = fileURLToPath(new URL('support/uploader.js', import.meta.url));
/** Allowance and one chunk of the library. */
const BUFFERED_BYTES_MAX = DEFAULT_EDGE_LIMITS.requestBufferBytesMax + 512 * KIB;

function streamOf({ body }: Exchange): RequestBodyStream {
  if (!(body instanceof RequestBodyStream)) throw new Error('the request has no body');
  return body;
}

describe('edge: uploads faster than their reader', () => {
  afterEach(closeEdges);

  it('wait in the kernel and with their client', async () => {
    const pieces = 64;
    let peakBytes = 0;
    let received = '';
    const edge = await startEdge(
      async (exchange) => {
        const body = streamOf(exchange);
        const hash = createHash('sha256');
        let atRest = 0;
        for await (const chunk of body) {
          hash.update(chunk);
          // At each MiB it rests, until no more may come: a client on this host could send all of it.
          if (body.bytesReceived - atRest > MIB) {
            atRest = body.bytesReceived;
            await until(() => body.paused || body.bytesReceived === body.contentLength);
          }
          peakBytes = Math.max(peakBytes, body.bufferedBytes);
          expect(edge.server.bufferedBytes).to.equal(body.bufferedBytes);
        }
        expect(edge.server.bufferedBytes).to.equal(0);
        received = hash.digest('hex');
        await exchange.respond({ status: 200, headers: [] });
      },
      { receiveBufferBytes: DEFAULT_EDGE_LIMITS.receiveBufferBytes },
    );
    const upload = [UPLOADER, String(edge.server.port), String(pieces)];
    const { stdout } = await mustRun(process.execPath, upload);
    const sent = createHash('sha256');
    for (let n = 0; n < pieces; n++) sent.update(uploadPiece(n));
    expect(stdout).to.equal('200\n');
    expect(received).to.equal(sent.digest('hex'));
    expect(peakBytes).to.be.greaterThan(DEFAULT_EDGE_LIMITS.requestBufferBytesMax);
    expect(peakBytes).to.be.at.most(BUFFERED_BYTES_MAX);
  });

  describe('that the client does not read', () => {
    let exchange: Exchange | undefined;
    let edge: Edge;

    async function hold(keepAliveTouchMs: number): Promise<void> {
      exchange = undefined;
      edge = await startEdge(
        async (given) => {
          if (given.request.method === 'PUT') {
            exchange = given;
            await until(() => given.aborted);
          } else {
            await given.respond({ status: 200, headers: [] });
          }
        },
        { receiveBufferBytes: DEFAULT_EDGE_LIMITS.receiveBufferBytes, keepAliveTouchMs },
      );
    }

    async function paused(): Promise<RequestBodyStream> {
      await until(() => exchange !== undefined && streamOf(exchange).paused);
      return streamOf(exchange!);
    }

    /** Of 64 MiB. */
    async function upload(): Promise<RawClient> {
      const client = await edge.connect();
      client.send(`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: ${64 * MIB}\r\n\r\n`);
      for (let n = 0; n < 64; n++) client.send(uploadPiece(n));
      return client;
    }

    it('stay unread', async () => {
      await hold(60_000);
      await upload();
      const body = await paused();
      const before = body.bytesReceived;
      // Other requests are answered by the same event loop: it turns, and reads what it may.
      const other = await edge.connect();
      for (let n = 0; n < 100; n++) await other.get('/');
      expect(body.bytesReceived).to.equal(before).and.to.be.at.most(BUFFERED_BYTES_MAX);
      expect(edge.server.inFlight).to.equal(1);
    });

    it('notice that their client left', async () => {
      await hold(5);
      const client = await edge.connect();
      client.send(`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: ${MIB}\r\n\r\n`);
      client.send(uploadPiece(0).subarray(0, 300 * KIB));
      const body = await paused();
      await until(() => body.bytesReceived === 300 * KIB);
      client.destroy();
      await until(() => exchange?.aborted === true);
      expect(edge.server.bufferedBytes).to.equal(0);
      expect(exchange?.signal.reason).to.be.instanceOf(ClientAbortedError);
    });

    it('stay with a client that waits', async () => {
      await hold(5);
      const client = await upload();
      const body = await paused();
      const other = await edge.connect();
      for (let n = 0; n < 100; n++) await other.get('/');
      expect(body.bufferedBytes).to.be.at.most(BUFFERED_BYTES_MAX + 512 * KIB);
      expect(client.closed).to.equal(false);
    });
  });
});

describe('edge: the socket of an upload', () => {
  const limits = { ...DEFAULT_EDGE_LIMITS, requestBufferBytesMax: 100 };
  const KEPT = new ArrayBuffer(60);

  let calls: string[];
  let body: RequestBodyStream;

  beforeEach(() => {
    calls = [];
    const socket = {
      pauseReading: () => calls.push('pause'),
      resumeReading: () => calls.push('resume'),
      rearm: () => calls.push('rearm'),
    };
    body = new RequestBodyStream(1_000_000_000, socket, new EdgeState(limits));
  });

  it('is paused above the allowance and resumed at half of it', async () => {
    const reader = body[Symbol.asyncIterator]();
    body.receive(KEPT, false);
    expect(calls).to.deep.equal([]);
    body.receive(KEPT, false);
    expect(calls).to.deep.equal(['pause']);
    body.receive(KEPT, false);
    expect(calls).to.deep.equal(['pause']);
    while (body.bufferedBytes > 0) await reader.next();
    expect(calls).to.deep.equal(['pause', 'resume']);
  });

  it('is looked at in a touch, for one turn', async () => {
    body.receive(new ArrayBuffer(200), false);
    calls = [];
    body.touch();
    expect(calls).to.deep.equal(['resume']);
    await new Promise(setImmediate);
    expect(calls).to.deep.equal(['resume', 'pause']);
  });

  it('is only kept alive in a touch when a look has brought bytes', () => {
    body.receive(new ArrayBuffer(600 * KIB), false);
    calls = [];
    body.touch();
    expect(calls).to.deep.equal(['rearm']);
  });

  it('is paused when the reader leaves, until the answer', async () => {
    const reader = body[Symbol.asyncIterator]();
    await reader.return?.();
    body.receive(KEPT, false);
    expect(calls).to.deep.equal(['pause']);
    expect(body.bufferedBytes).to.equal(0);
    body.discard();
    expect(calls).to.deep.equal(['pause', 'resume']);
    body.receive(new ArrayBuffer(1_000), false);
    expect(calls).to.deep.equal(['pause', 'resume']);
  });

  it('stays paused after the last byte until the answer', async () => {
    body.receive(new ArrayBuffer(200), false);
    body.receive(KEPT, true);
    const reader = body[Symbol.asyncIterator]();
    while ((await reader.next()).done !== true);
    expect(calls).to.deep.equal(['pause']);
    body.discard();
    expect(calls).to.deep.equal(['pause', 'resume']);
  });
});
