import { expect } from 'chai';
import fc from 'fast-check';
import {
  InvalidResponseError,
  type ResponseHead,
} from '../../../src/lib/http-client/response-head.js';
import { ResponseParser } from '../../../src/lib/http-client/response-parser.js';

const HEAD_BYTES_MAX = 8 * 1024;

interface Read {
  status: number | undefined;
  headers: Record<string, string>;
  body: string;
  persists: boolean | undefined;
  continues: number;
  isDone: boolean;
  hasExcess: boolean;
}

/** The reading of these pieces; a parser has bytes only while it reads them. */
function read(pieces: readonly Buffer[], isHead = false, isEnded = true): Read {
  const parser = new ResponseParser(HEAD_BYTES_MAX);
  parser.begin(isHead);
  let continues = 0;
  const heads: ResponseHead[] = [];
  const body: Buffer[] = [];
  const listener = {
    onContinue: () => (continues += 1),
    onHead: (head: ResponseHead) => heads.push(head),
  };
  let hasExcess = false;
  for (const piece of pieces) {
    if (parser.isDone) {
      if (piece.length > 0) hasExcess = true;
      continue;
    }
    const bytes = Buffer.from(piece);
    body.push(Buffer.from(parser.read(bytes, listener)));
    bytes.fill('!');
  }
  if (isEnded && !parser.isDone) parser.end();
  expect(heads.length).to.be.at.most(1);
  return {
    status: heads[0]?.status,
    headers: Object.fromEntries(heads[0]?.headers ?? []),
    body: Buffer.concat(body).toString('latin1'),
    persists: heads[0]?.persists,
    continues,
    isDone: parser.isDone,
    hasExcess: hasExcess || parser.hasExcess,
  };
}

/** The bytes as one piece, in two cut anywhere, and one by one. */
function* cuts(text: string): Generator<Buffer[]> {
  const bytes = Buffer.from(text, 'latin1');
  yield [bytes];
  for (let at = 1; at < bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)];
  yield Array.from(bytes, (byte) => Buffer.from([byte]));
}

function pieces(bytes: Buffer, at: readonly number[]): Buffer[] {
  const ends = [...at.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const OK = 'HTTP/1.1 200 OK\r\n';

const VALID: [string, string, Partial<Read>, boolean?][] = [
  [
    'a body of announced length',
    `${OK}Content-Length: 5\r\nETag: "e"\r\n\r\nabcde`,
    { status: 200, headers: { 'content-length': '5', etag: '"e"' }, body: 'abcde', persists: true },
  ],
  ['no body', 'HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n', { status: 201, body: '' }],
  ['204', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, body: '', persists: true }],
  [
    'the answer to HEAD',
    `${OK}Content-Length: 5\r\n\r\n`,
    { headers: { 'content-length': '5' }, body: '', persists: true },
    true,
  ],
  ['304 with a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', { body: '' }],
  [
    'chunks',
    `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0A;x="y"\r\n0123456789\r\n0\r\n\r\n`,
    { body: 'abc0123456789', persists: true },
  ],
  [
    'chunks with trailers',
    `${OK}transfer-encoding: Chunked\r\n\r\n1\r\na\r\n000\r\nX-A: b\tc\r\nY:\r\n\r\n`,
    { body: 'a', persists: true },
  ],
  [
    'a body that ends with the connection',
    `${OK}A: b\r\n\r\nabc`,
    { body: 'abc', persists: false },
  ],
  [
    '100 Continue, and others that say that the server is at work',
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nA: b\r\n\r\n${OK}Content-Length: 1\r\n\r\na`,
    { status: 200, continues: 1, body: 'a' },
  ],
  [
    'a status line without a reason',
    'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n',
    { status: 200, persists: true },
  ],
  [
    'values with blanks around them, and none',
    `${OK}Content-Length:  1 \t\r\nX-Empty:\r\nX-Two: a b\r\n\r\na`,
    { headers: { 'content-length': '1', 'x-empty': '', 'x-two': 'a b' }, body: 'a' },
  ],
  [
    'several of one name',
    `${OK}Content-Length: 0\r\nVia: a\r\nvia: b\r\n\r\n`,
    { headers: { 'content-length': '0', via: 'a, b' } },
  ],
  [
    'UTF-8, and bytes that are none',
    `${OK}Content-Length: 0\r\nX-A: \xc3\xbc\r\nX-B: \xff\r\n\r\n`,
    { headers: { 'content-length': '0', 'x-a': 'ü', 'x-b': '\ufffd' } },
  ],
  [
    'Connection: close',
    `${OK}Connection: Foo, Close\r\nContent-Length: 0\r\n\r\n`,
    { persists: false },
  ],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na', { body: 'a', persists: false }],
  [
    'HTTP/1.0 that stays open',
    'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na',
    { body: 'a', persists: true },
  ],
  [
    'a 204 that announces a body',
    'HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n',
    { body: '', persists: false },
  ],
];

const long = 'x'.repeat(HEAD_BYTES_MAX);
const INVALID: [string, string][] = [
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['HTTP/2', 'HTTP/2 200 OK\r\n\r\n'],
  ['a version that is none', 'HTTP/1.2 200 OK\r\n\r\n'],
  ['a status that is none', 'HTTP/1.1 2x0 OK\r\n\r\n'],
  ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
  ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
  ['a line break in front', `\r\n${OK}Content-Length: 0\r\n\r\n`],
  ['two different lengths', `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`],
  ['the same length twice', `${OK}Content-Length: 5\r\nContent-Length: 5\r\n\r\n`],
  ['a list of lengths', `${OK}Content-Length: 5, 5\r\n\r\n`],
  ['a length with a sign', `${OK}Content-Length: +5\r\n\r\n`],
  ['a length in hexadecimal', `${OK}Content-Length: 0x5\r\n\r\n`],
  ['an empty length', `${OK}Content-Length:\r\n\r\n`],
  ['a length that no number holds', `${OK}Content-Length: 99999999999999999999\r\n\r\n`],
  ['a length beside chunks', `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ['another encoding', `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`],
  ['two encodings', `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ['an encoding that is hidden', `${OK}Transfer-Encoding: \x0bchunked\r\n\r\n`],
  ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['a header that goes on in the next line', `${OK}X-A: b\r\n c\r\n\r\n`],
  ['a blank before the colon', `${OK}Content-Length : 5\r\n\r\n`],
  ['a header without colon', `${OK}Content-Length\r\n\r\n`],
  ['a header without name', `${OK}: a\r\n\r\n`],
  ['a name with a blank', `${OK}X A: b\r\n\r\n`],
  ['a name beyond ASCII', `${OK}X-\xe4: b\r\n\r\n`],
  ['a lone line feed', `${OK}X-A: b\nContent-Length: 5\r\n\r\n`],
  ['a lone carriage return', `${OK}X-A: b\rContent-Length: 5\r\n\r\n`],
  ['a NUL', `${OK}X-A: b\0c\r\n\r\n`],
  ['101 that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['no end of 1xx', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(20)],
  ['a long line', `HTTP/1.1 200 ${long}`],
  ['a long head', `${OK}X-A: ${long}\r\n\r\n`],
  ['more headers than anybody has', `${OK}${'A:\r\n'.repeat(1001)}\r\n`],
];

const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const BAD_CHUNKS: [string, string][] = [
  ['no size', '\r\nabc\r\n'],
  ['a size with a sign', '+3\r\nabc\r\n'],
  ['a size with 0x', '0x3\r\nabc\r\n'],
  ['a blank before the size', ' 3\r\nabc\r\n'],
  ['a blank behind the size', '3 \r\nabc\r\n'],
  ['a size beyond all numbers', 'FFFFFFFFFFFFFFFF\r\n'],
  ['a line feed alone behind the size', '3\nabc\r\n'],
  ['an extension with a line feed', '3;a\nb\r\nabc\r\n'],
  ['an extension without end', `3;${'x'.repeat(300)}`],
  ['a chunk that is too long', '3\r\nabcd\r\n'],
  ['a line feed alone behind the chunk', '3\r\nabc\n'],
  ['a carriage return alone behind the chunk', '3\r\nabc\r0'],
  ['a trailer without name', '0\r\n: b\r\n\r\n'],
  ['a trailer that goes on in the next line', '0\r\nA: b\r\n c\r\n\r\n'],
  ['a trailer with a line feed', '0\r\nA: b\nC: d\r\n\r\n'],
  ['trailers without end', `0\r\n${'A: b\r\n'.repeat(8000)}`],
];

describe('Response parser', () => {
  for (const [title, text, expected, isHead] of VALID) {
    it(`reads ${title}, however it is cut`, () => {
      for (const cut of cuts(text)) {
        const result = read(cut, isHead);
        expect(result).to.deep.include({ ...expected, isDone: true, hasExcess: false });
      }
    });

    it(`tells of bytes behind ${title}`, () => {
      if (expected.persists === false) return;
      for (const cut of cuts(`${text}HTTP/1.1 200`)) {
        expect(read(cut, isHead)).to.deep.include({ ...expected, hasExcess: true });
      }
    });

    it(`does not take a part of ${title} for all of it`, () => {
      const isEndless = !/content-length|chunked|HTTP\/1.1 [23]04/i.test(text);
      for (let length = 0; length < text.length; length++) {
        const { isDone, status } = read([Buffer.from(text.slice(0, length), 'latin1')], isHead);
        expect(isDone).to.equal(isEndless && status !== undefined);
      }
    });
  }

  for (const [title, text] of [
    ...INVALID,
    ...BAD_CHUNKS.map(([title, body]): [string, string] => [`${title} in chunks`, CHUNKED + body]),
  ]) {
    it(`refuses ${title}, however it is cut`, () => {
      // All cuts of a long one would be many bytes.
      const some = text.length > 400 ? [[Buffer.from(text, 'latin1')]] : cuts(text);
      for (const cut of some) expect(() => read(cut)).to.throw(InvalidResponseError);
    });
  }

  it('refuses a head that is too long before its end has come', () => {
    const parser = new ResponseParser(HEAD_BYTES_MAX);
    parser.begin(false);
    const listener = { onContinue: () => undefined, onHead: () => undefined };
    const line = Buffer.from(`X-A: ${'x'.repeat(93)}\r\n`);
    let bytes = 0;
    expect(() => {
      parser.read(Buffer.from(OK), listener);
      for (; bytes < 2 * HEAD_BYTES_MAX; bytes += line.length) parser.read(line, listener);
    }).to.throw(InvalidResponseError);
    expect(bytes).to.be.within(HEAD_BYTES_MAX - 200, HEAD_BYTES_MAX);
  });

  it('reads one response after the other', () => {
    const parser = new ResponseParser(HEAD_BYTES_MAX);
    const statuses: number[] = [];
    const listener = {
      onContinue: () => undefined,
      onHead: ({ status }: ResponseHead) => statuses.push(status),
    };
    for (const text of [`${CHUNKED}1\r\na\r\n0\r\n\r\n`, `${OK}Content-Length: 2\r\n\r\nab`]) {
      parser.begin(false);
      parser.read(Buffer.from(text), listener);
      expect(parser.isDone).to.equal(true);
    }
    expect(statuses).to.deep.equal([200, 200]);
  });

  it('reads bodies of any bytes, in any chunks, cut anywhere', () => {
    const chunk = fc.uint8Array({ minLength: 1, maxLength: 80 });
    const extension = fc.constantFrom('', ';a', ';a="b c"');
    const trailers = fc.constantFrom('', 'A: b\r\n', 'A: b\r\nC:\r\n');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(chunk, extension), { maxLength: 8 }),
        trailers,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.boolean(),
        (chunks, ending, at, isChunked) => {
          const body = Buffer.concat(chunks.map(([bytes]) => bytes));
          const parts = chunks.map(([bytes, more]) =>
            Buffer.concat([
              Buffer.from(`${bytes.length.toString(16)}${more}\r\n`),
              bytes,
              Buffer.from('\r\n'),
            ]),
          );
          const sent = isChunked
            ? [Buffer.from(CHUNKED), ...parts, Buffer.from(`0\r\n${ending}\r\n`)]
            : [Buffer.from(`${OK}Content-Length: ${body.length}\r\n\r\n`), body];
          const result = read(pieces(Buffer.concat(sent), at));
          expect(result).to.include({ status: 200, isDone: true, hasExcess: false });
          expect(result.body).to.equal(body.toString('latin1'));
        },
      ),
    );
  });

  it('reads or refuses damaged responses, the same however they are cut', () => {
    const valid = VALID.map(([, text]) => Buffer.from(text, 'latin1'));
    const outcome = (given: readonly Buffer[]): unknown => {
      try {
        return read(given);
      } catch (error) {
        expect(error).to.be.instanceOf(InvalidResponseError);
        return 'refused';
      }
    };
    fc.assert(
      fc.property(
        fc.constantFrom(...valid),
        fc.nat(),
        fc.constantFrom(...Buffer.from('\0\t\n\r 0:;,=Aaf\x7f\xff')),
        fc.array(fc.nat(), { maxLength: 6 }),
        (text, where, byte, at) => {
          const damaged = Buffer.from(text);
          damaged[where % damaged.length] = byte;
          expect(outcome(pieces(damaged, at))).to.deep.equal(outcome([damaged]));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('never fails in another way, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 })), fc.boolean(), (given, isBehind) => {
        const sent = given.map((bytes) => Buffer.from(bytes));
        try {
          read(isBehind ? [Buffer.from(CHUNKED), ...sent] : sent);
        } catch (error) {
          expect(error).to.be.instanceOf(InvalidResponseError);
        }
      }),
    );
  });
});
