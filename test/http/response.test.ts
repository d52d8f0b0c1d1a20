import { expect } from 'chai';
import {
  InvalidResponseError,
  type HttpResponse,
  type SendResult,
} from '../../src/http/exchange.js';
import type { RawClient, RawResponse } from '../support/raw-http.js';
import { closeEdges, startEdge, type Edge } from './support/edge.js';
import { texts } from './support/sources.js';

describe('edge: responses', () => {
  let edge: Edge;
  let client: RawClient;
  let response: HttpResponse;
  let result: SendResult | undefined;
  /** Whether the handler answers within the library's call, or in a later turn. */
  let later = false;

  beforeEach(async () => {
    result = undefined;
    edge = await startEdge(async (exchange) => {
      if (later) await new Promise(setImmediate);
      result = await exchange.respond(response);
    });
    client = await edge.connect();
  });
  afterEach(closeEdges);

  async function ask(method = 'GET'): Promise<RawResponse> {
    client.send(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);
    return client.readResponse(method);
  }

  for (const turn of ['at once', 'in a later turn']) {
    describe(`sent ${turn}`, () => {
      beforeEach(() => {
        later = turn !== 'at once';
      });

      it('carries status, headers, Date and the length once, and no name of the library', async () => {
        response = { status: 201, headers: [['ETag', '"x"']], body: 'täxt' };
        const answer = await ask();
        expect(answer.statusLine).to.equal('HTTP/1.1 201 Created');
        const names = answer.headers.map(([name]) => name);
        expect(names).to.deep.equal(['ETag', 'Date', 'Content-Length']);
        expect(Date.parse(answer.values('date')[0]!)).to.be.closeTo(Date.now(), 5_000);
        expect(answer.values('content-length')).to.deep.equal(['5']);
        expect(answer.body.toString()).to.equal('täxt');
        expect(result).to.deep.equal({ bytesSent: 5, abortedBy: null });
      });

      const EMPTY: readonly (readonly [what: string, body: HttpResponse['body']])[] = [
        ['no body', undefined],
        ['an empty text', ''],
        ['an empty buffer', Buffer.alloc(0)],
      ];
      for (const [what, body] of EMPTY) {
        it(`announces 0 bytes for ${what}`, async () => {
          response = { status: 200, headers: [], body };
          expect((await ask()).values('content-length')).to.deep.equal(['0']);
        });
      }

      it('announces 0 bytes for a stream of that length', async () => {
        response = { status: 200, headers: [], body: texts(), contentLength: 0 };
        expect((await ask()).values('content-length')).to.deep.equal(['0']);
        expect((await ask()).status).to.equal(200);
      });

      it('answers HEAD with the length of the body and without it, and keeps the connection', async () => {
        const bodies: readonly Omit<HttpResponse, 'status' | 'headers'>[] = [
          { body: 'abc' },
          { body: Buffer.alloc(3) },
          { body: texts('abc'), contentLength: 3 },
          { contentLength: 3 },
        ];
        for (const body of bodies) {
          response = { status: 200, headers: [], ...body };
          const answer = await ask('HEAD');
          expect(answer.values('content-length')).to.deep.equal(['3']);
          expect(result?.bytesSent).to.equal(0);
        }
        expect(client.pendingBytes).to.equal(0);
        expect(client.closed).to.equal(false);
      });

      it('answers HEAD with 0 where the body is empty', async () => {
        response = { status: 200, headers: [] };
        expect((await ask('HEAD')).values('content-length')).to.deep.equal(['0']);
      });

      it('answers HEAD of a stream of unknown length without a length', async () => {
        response = { status: 200, headers: [], body: texts('abc') };
        expect((await ask('HEAD')).values('content-length')).to.deep.equal([]);
        expect((await ask('HEAD')).status).to.equal(200);
      });

      for (const status of [204, 304]) {
        it(`sends ${status} without body and length`, async () => {
          response = { status, headers: [['ETag', '"x"']], body: 'ignored' };
          const answer = await ask();
          expect(answer.values('content-length')).to.deep.equal([]);
          expect(answer.values('etag')).to.deep.equal(['"x"']);
          response = { status: 200, headers: [], body: 'next' };
          expect((await ask()).body.toString()).to.equal('next');
        });
      }

      it('sends a stream with its length', async () => {
        response = { status: 200, headers: [], body: texts('ab', '', 'cd'), contentLength: 4 };
        const answer = await ask();
        expect(answer.values('content-length')).to.deep.equal(['4']);
        expect(answer.body.toString()).to.equal('abcd');
        expect(result).to.deep.equal({ bytesSent: 4, abortedBy: null });
      });

      it('sends a stream without a length in chunks', async () => {
        response = { status: 200, headers: [], body: texts('ab', '', 'cde') };
        const answer = await ask();
        expect(answer.values('transfer-encoding')).to.deep.equal(['chunked']);
        expect(answer.values('content-length')).to.deep.equal([]);
        expect(answer.body.toString()).to.equal('abcde');
        response = { status: 200, headers: [], body: texts() };
        expect((await ask()).body).to.have.length(0);
      });

      it('keeps UTF-8 and tabs in header values', async () => {
        response = { status: 200, headers: [['x-a', 'aé\tΩz']] };
        expect((await ask()).values('x-a')).to.deep.equal(['aé\tΩz']);
      });

      const INVALID: readonly (readonly [what: string, response: Partial<HttpResponse>])[] = [
        ['a line break in a value', { headers: [['x-a', 'a\r\nx-b: c']] }],
        ['a lone CR in a value', { headers: [['x-a', 'a\rb']] }],
        ['a lone LF in a value', { headers: [['x-a', 'a\nb']] }],
        ['a NUL in a value', { headers: [['x-a', 'a\0']] }],
        ['a DEL in a value', { headers: [['x-a', 'a\x7f']] }],
        ['a line break in a name', { headers: [['x-a\r\nx-b', 'c']] }],
        ['an empty name', { headers: [['', 'c']] }],
        ['a Content-Length', { headers: [['content-length', '3']] }],
        ['a Transfer-Encoding', { headers: [['Transfer-Encoding', 'chunked']] }],
        ['a Connection', { headers: [['Connection', 'close']] }],
        ['a Date', { headers: [['Date', 'now']] }],
        ['an interim status', { status: 100 }],
        ['no status', { status: 999 }],
        ['a length that the body does not have', { body: 'abc', contentLength: 4 }],
        ['a length without a body', { contentLength: 4 }],
        ['a negative length', { body: texts('a'), contentLength: -1 }],
        ['half a byte', { body: texts('a'), contentLength: 0.5 }],
      ];
      for (const [what, invalid] of INVALID) {
        it(`answers 500 instead of writing ${what}, and keeps the connection`, async () => {
          response = { status: 200, headers: [], ...invalid };
          const answer = await ask();
          expect(answer.status).to.equal(500);
          expect(answer.body).to.have.length(0);
          expect(edge.errors).to.have.length(1);
          expect(edge.errors[0]).to.be.instanceOf(InvalidResponseError);
          response = { status: 200, headers: [], body: 'next' };
          expect((await ask()).body.toString()).to.equal('next');
        });
      }
    });
  }

  it('refuses a second response', async () => {
    const twice = await startEdge(async (exchange) => {
      await exchange.respond({ status: 200, headers: [], body: 'first' });
      await exchange.respond({ status: 200, headers: [], body: 'second' });
    });
    const answer = await (await twice.connect()).get('/');
    expect(answer.body.toString()).to.equal('first');
    expect(twice.errors[0]).to.be.instanceOf(InvalidResponseError);
  });

  it('lets go of a body that it cannot send', async () => {
    let left = false;
    const iterator: AsyncIterator<Buffer> = {
      next: () => expect.fail('the body was read'),
      return: () => {
        left = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    const body = { [Symbol.asyncIterator]: () => iterator };
    response = { status: 200, headers: [['x-a', 'a\0']], body };
    expect((await ask()).status).to.equal(500);
    expect(left).to.be.true;
  });

  it('closes after the answer when the client asks for it', async () => {
    for (const body of ['short', Buffer.alloc(1_000_000), texts('a', 'b')]) {
      response = { status: 200, headers: [], body };
      const closing = await edge.connect();
      const answer = await closing.get('/', 'Connection: close\r\n');
      expect(answer.status).to.equal(200);
      expect(await closing.untilClosed()).to.have.length(0);
    }
  });
});
