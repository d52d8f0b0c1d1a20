import { expect } from 'chai';
import fc from 'fast-check';
import { ResponseReader } from '../../bench/load/response-reader.js';
import type { Expectation } from '../../bench/load/wire.js';

const OK: Expectation = { statuses: [200], body: Buffer.from('hello world') };

const COUNTED = 'HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 11\r\n\r\nhello world';
const CHUNKED =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nT: 1\r\n\r\n';
const UNTIL_CLOSE = 'HTTP/1.1 200 OK\r\n\r\nhello world';
const INTERIM = `HTTP/1.1 100 Continue\r\n\r\n${COUNTED}`;

/** Feeds a response in pieces. @returns whether it was complete with the last one, and only then */
function feed(reader: ResponseReader, pieces: readonly string[], method = 'GET', expect_ = OK) {
  reader.begin(method, expect_);
  return pieces.map((piece) => reader.feed(Buffer.from(piece, 'latin1')));
}

function problemOf(response: string, expectation: Expectation, method = 'GET') {
  const reader = new ResponseReader();
  expect(feed(reader, [response], method, expectation)).to.deep.equal([true]);
  return reader.problem;
}

describe('bench: reading responses', () => {
  for (const [name, response] of Object.entries({ COUNTED, CHUNKED, INTERIM })) {
    it(`reads the same however the packets are cut: ${name}`, () => {
      const cuts = fc.uniqueArray(fc.integer({ min: 1, max: response.length - 1 }));
      fc.assert(
        fc.property(cuts, (positions) => {
          const at = [0, ...positions.sort((a, b) => a - b), response.length];
          const pieces = at.slice(1).map((end, i) => response.slice(at[i], end));
          const reader = new ResponseReader();
          const completes = feed(reader, pieces);
          expect(completes.indexOf(true)).to.equal(pieces.length - 1);
          expect(reader).to.include({ status: 200, problem: undefined, bodyBytes: 11 });
        }),
      );
    });
  }

  it('reads one response after the other', () => {
    const reader = new ResponseReader();
    for (const response of [CHUNKED, COUNTED, CHUNKED]) {
      expect(feed(reader, [response])).to.deep.equal([true]);
      expect(reader.problem).to.equal(undefined);
    }
  });

  it('ends a body without a length with the connection', () => {
    const reader = new ResponseReader();
    expect(feed(reader, [UNTIL_CLOSE])).to.deep.equal([false]);
    expect(reader.end()).to.equal(true);
    expect(reader).to.include({ problem: undefined, keepsAlive: false });
  });

  it('does not take a cut body for a whole one', () => {
    const reader = new ResponseReader();
    expect(feed(reader, [COUNTED.slice(0, -1)])).to.deep.equal([false]);
    expect(reader.end()).to.equal(false);
  });

  it('knows that answers to HEAD have no body, and looks at the length', () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 1024\r\n\r\n';
    expect(problemOf(head, { statuses: [200], contentLength: 1024 }, 'HEAD')).to.equal(undefined);
    expect(problemOf(head, { statuses: [200], contentLength: 1000 }, 'HEAD')).to.match(
      /1024.*1000/,
    );
  });

  it('notices that the server closes', () => {
    const reader = new ResponseReader();
    feed(reader, [COUNTED.replace('X: y', 'Connection: close')]);
    expect(reader.keepsAlive).to.equal(false);
  });

  /** Wrong answers, whatever their status says. */
  const WRONG: readonly (readonly [string, string, Expectation, RegExp])[] = [
    [
      'another status',
      COUNTED.replace('200 OK', '503 Slow'),
      OK,
      /^answered 503 Slow: hello world$/,
    ],
    ['a wrong byte', COUNTED.replace('hello', 'hellO'), OK, /not what was stored/],
    ['a short body', COUNTED.replace('11', '10').slice(0, -1), OK, /10 bytes, not 11/],
    ['a long body', `${COUNTED.replace('11', '12')}!`, OK, /not what was stored/],
    ['a missing ETag', COUNTED, { ...OK, inHead: 'abc' }, /lacks abc/],
    ['more than the response', `${COUNTED}HTTP`, OK, /4 bytes follow/],
    ['a body that a check refuses', COUNTED, { statuses: [200], check: () => 'bad' }, /^bad$/],
  ];

  for (const [name, response, expectation, problem] of WRONG) {
    it(`notices ${name}`, () => {
      expect(problemOf(response, expectation)).to.match(problem);
    });
  }

  it('hands a whole chunked body to a check', () => {
    let seen = '';
    const check = (body: Buffer): undefined => void (seen = body.toString());
    expect(problemOf(CHUNKED, { statuses: [200], check })).to.equal(undefined);
    expect(seen).to.equal('hello world');
  });
});
