import { expect } from 'chai';
import fc from 'fast-check';
import {
  metadataResponseHeaders,
  readMetadataHeaders,
} from '../../../src/s3/rules/metadata-headers.js';
import { expectS3Error, headers } from '../support.js';

const NOTHING = { contentType: 'binary/octet-stream', headers: {}, metadata: {} };

/** The codings that are kept of one Content-Encoding. */
const CODINGS: readonly (readonly [sent: string, kept: string | undefined])[] = [
  ['gzip', 'gzip'],
  ['gzip, br', 'gzip, br'],
  ['aws-chunked', undefined],
  ['aws-chunked,gzip', 'gzip'],
  ['foo, aws-chunked, bar', 'foo, bar'],
  ['gzip,aws-chunked', 'gzip'],
  ['gzip, AWS-Chunked , br', 'gzip, br'],
  ['', undefined],
];

describe('s3 rules: metadata headers', () => {
  it('has a default type and nothing else', () => {
    expect(readMetadataHeaders(headers({ host: 'h', 'x-amz-date': 'd' }))).to.deep.equal(NOTHING);
    expect(readMetadataHeaders(headers({ 'content-type': '' }))).to.deep.equal(NOTHING);
  });

  it('collects what belongs to the object', () => {
    const described = readMetadataHeaders(
      headers({
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-cache',
        'content-disposition': 'attachment; filename="ä.txt"',
        'content-language': 'de',
        expires: 'Sun, 06 Nov 1994 08:49:37 GMT',
        'content-length': '5',
        'x-amz-meta-a': '1',
        'x-amz-meta-b.c': ' spaced ',
      }),
    );
    expect(described).to.deep.equal({
      contentType: 'text/plain; charset=utf-8',
      headers: {
        'cache-control': 'no-cache',
        'content-disposition': 'attachment; filename="ä.txt"',
        'content-language': 'de',
        expires: 'Sun, 06 Nov 1994 08:49:37 GMT',
      },
      metadata: { a: '1', 'b.c': ' spaced ' },
    });
    expect(metadataResponseHeaders(described)).to.deep.equal([
      ['Content-Type', 'text/plain; charset=utf-8'],
      ['Cache-Control', 'no-cache'],
      ['Content-Disposition', 'attachment; filename="ä.txt"'],
      ['Content-Language', 'de'],
      ['Expires', 'Sun, 06 Nov 1994 08:49:37 GMT'],
      ['x-amz-meta-a', '1'],
      ['x-amz-meta-b.c', ' spaced '],
    ]);
  });

  for (const [sent, kept] of CODINGS) {
    it(`keeps ${String(kept)} of Content-Encoding: ${sent}`, () => {
      const framed = { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' };
      const described = readMetadataHeaders(headers({ 'content-encoding': sent, ...framed }));
      expect(described.headers).to.deep.equal(
        kept === undefined ? {} : { 'content-encoding': kept },
      );
    });
  }

  it('keeps all of Content-Encoding where the body is not framed', () => {
    for (const sent of ['aws-chunked', 'aws-chunked, gzip']) {
      for (const contentSha256 of [undefined, 'UNSIGNED-PAYLOAD', 'a'.repeat(64)]) {
        const plain = contentSha256 && { 'x-amz-content-sha256': contentSha256 };
        const described = readMetadataHeaders(headers({ 'content-encoding': sent, ...plain }));
        expect(described.headers).to.deep.equal({ 'content-encoding': sent });
      }
    }
  });

  it('decodes what comes as encoded words, and encodes what is not ASCII', () => {
    // The example of the Amazon S3 User Guide, in both directions.
    const sent = headers({ 'x-amz-meta-nonascii': '=?UTF-8?B?w4PChE3Dg8KEWsODwpXDg8KRIFMz?=' });
    const described = readMetadataHeaders(sent);
    expect(described.metadata.nonascii).to.equal('Ã\u0084MÃ\u0084ZÃ\u0095Ã\u0091 S3');
    expect(metadataResponseHeaders(described)[1]).to.deep.equal([
      'x-amz-meta-nonascii',
      '=?UTF-8?B?w4PChE3Dg8KEWsODwpXDg8KRIFMz?=',
    ]);
  });

  it('gives back any text as ASCII that means the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        const stored = { ...NOTHING, metadata: { a: text } };
        const [, [, sent] = ['', '']] = metadataResponseHeaders(stored);
        expect(sent).to.match(/^[\t\x20-\x7e]*$/);
        if (text.includes('=?')) return;
        const again = readMetadataHeaders(headers({ 'x-amz-meta-a': sent }));
        expect(again.metadata.a).to.equal(text);
      }),
    );
  });

  it('counts the bytes of names and values', () => {
    const of = (length: number) => headers({ 'x-amz-meta-ab': 'ä'.repeat(length / 2) });
    expect(readMetadataHeaders(of(2046)).metadata.ab).to.have.length(1023);
    expectS3Error(() => readMetadataHeaders(of(2048)), 'MetadataTooLarge', {
      Size: '2050',
      MaxSizeAllowed: '2048',
    });
  });

  it('counts the entries', () => {
    const of = (count: number) =>
      headers(Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-amz-meta-${n}`, ''])));
    expect(Object.keys(readMetadataHeaders(of(70)).metadata)).to.have.length(70);
    expectS3Error(() => readMetadataHeaders(of(71)), 'MetadataTooLarge', {
      Entries: '71',
      MaxEntriesAllowed: '70',
    });
  });

  it('counts the bytes of all representation headers', () => {
    const of = (length: number) =>
      headers({ 'content-type': 'a/b', 'content-language': 'ä'.repeat(length / 2), expires: '0' });
    const room = 8192 - 'content-typea/bcontent-languageexpires0'.length - 1;
    expect(readMetadataHeaders(of(room)).headers['content-language']).to.have.length(room / 2);
    expectS3Error(() => readMetadataHeaders(of(room + 2)), 'RequestHeaderSectionTooLarge', {
      Size: '8193',
      MaxSizeAllowed: '8192',
    });
    const type = headers({ 'content-type': 't'.repeat(8192) });
    expectS3Error(() => readMetadataHeaders(type), 'RequestHeaderSectionTooLarge');
  });

  it('takes in no more than what every client reads again', () => {
    // Names of one character and values beyond ASCII, which become encoded words, grow the most.
    const names = Array.from({ length: 70 }, (_, n) => `x-amz-meta-${n}`);
    const described = readMetadataHeaders(
      headers({
        ...Object.fromEntries(names.map((name) => [name, 'é'.repeat(13)] as const)),
        'content-type': `a/${'b'.repeat(2000)}`,
        'content-disposition': 'c'.repeat(6000),
      }),
    );
    const block = metadataResponseHeaders(described).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    // 16 KiB are Node.js's limit; 2 KiB are left for ids, dates and CORS.
    expect(Buffer.byteLength(block.join(''))).to.be.within(10_000, 14 * 1024);
    expect(block).to.have.length(72);
  });

  for (const [name, value] of [
    ['x-amz-meta-', 'x'],
    ['x-amz-meta-a b', 'x'],
    ['x-amz-meta-ä', 'x'],
    ['x-amz-meta-__proto__', 'x'],
    ['x-amz-meta-a', 'x\ny'],
    ['x-amz-meta-a', 'mangled \uFFFD'],
    ['x-amz-meta-a', '=?UTF-8?B?DQo=?='],
    ['cache-control', 'x\r\nSet-Cookie: a'],
    ['content-type', 'text/\0'],
    ['content-disposition', '\uFFFD'],
  ] as const) {
    it(`refuses ${JSON.stringify(name)}: ${JSON.stringify(value)}`, () => {
      const read = () => readMetadataHeaders(headers({ [name]: value }));
      const { details } = expectS3Error(read, 'InvalidArgument');
      expect(details.ArgumentName).to.equal(name);
    });
  }

  it('leaves out what another writer of the store made illegal', () => {
    const list = metadataResponseHeaders({
      contentType: 'text/plain\r\nX: y',
      headers: { expires: 'a\nb', 'cache-control': 'c' },
      metadata: { a: 'x\r\ny' },
    });
    expect(list).to.deep.equal([
      ['Cache-Control', 'c'],
      ['x-amz-meta-a', '=?UTF-8?B?eA0KeQ==?='],
    ]);
  });
});
