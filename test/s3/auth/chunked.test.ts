import { expect } from 'chai';

import { ChunkSignatures } from '../../../src/s3/auth/chunk-signatures.js';
import {
  ChunkedDecoder,
  type ChunkedFormat,
  type ChunkVerifier,
} from '../../../src/s3/auth/chunked-decoder.js';
import { HmacKey } from '../../../src/digest/hmac-key.js';
import { signatureMismatch, deriveSigningKey } from '../../../src/s3/auth/signature-v4.js';
import type { ErrorCode } from '../../../src/s3/errors.js';
import { amzDateOf, signedChunks, Signer, unsignedChunks } from '../../support/sigv4.js';
import { DATE, expectFailure, IDENTITY, s3Failure } from './support.js';

const SEED = 'f'.repeat(64);
const SIGNER = new Signer(IDENTITY, DATE);
const DATA = Buffer.from('0123456789abcdefghij');
const CHUNKS = [DATA.subarray(0, 12), DATA.subarray(12)];
const TRAILER_NAME = 'x-amz-checksum-crc32';
const TRAILER = `${TRAILER_NAME}:AAAAAA==`;

interface Framing {
  readonly signed: boolean;
  readonly trailers: readonly string[] | undefined;
}

const PLAIN: Framing = { signed: true, trailers: undefined };
const SIGNED: Framing = { signed: true, trailers: [TRAILER_NAME] };
const UNSIGNED: Framing = { signed: false, trailers: [TRAILER_NAME] };
const UNSIGNED_PLAIN: Framing = { signed: false, trailers: [] };

const MINIO = { trailers: [TRAILER], trailerEnd: '\n\r\n' };
const MODES: readonly (readonly [name: string, mode: Framing, body: Buffer])[] = [
  ['signed', PLAIN, signedChunks(SIGNER, SEED, CHUNKS)],
  ['signed with a trailer', SIGNED, signedChunks(SIGNER, SEED, CHUNKS, { trailers: [TRAILER] })],
  [
    'signed with a trailer, as minio-go writes it',
    SIGNED,
    signedChunks(SIGNER, SEED, CHUNKS, MINIO),
  ],
  ['unsigned with a trailer', UNSIGNED, unsignedChunks(CHUNKS, { trailers: [TRAILER] })],
  ['unsigned without one', UNSIGNED_PLAIN, unsignedChunks(CHUNKS)],
];

function verifier(): ChunkVerifier {
  const amzDate = amzDateOf(DATE);
  return new ChunkSignatures({
    signingKey: new HmacKey(
      deriveSigningKey(IDENTITY.secretKey, amzDate.slice(0, 8), IDENTITY.region),
    ),
    amzDate,
    scope: SIGNER.scope,
    seedSignature: SEED,
    mismatch: (stringToSign, provided) =>
      signatureMismatch({ accessKey: IDENTITY.accessKey, stringToSign, provided }),
  });
}

function decode(
  mode: Framing,
  pieces: readonly Buffer[],
  format: Partial<ChunkedFormat> = {},
): { data: string; trailers: Record<string, string> } {
  const decoder = new ChunkedDecoder(
    { size: DATA.length, trailers: mode.trailers, signedChunkBytesMin: 8, ...format },
    mode.signed ? verifier() : undefined,
  );
  let data = '';
  for (const piece of pieces) {
    for (const bytes of decoder.decode(piece)) data += bytes.toString('latin1');
  }
  return { data, trailers: Object.fromEntries(decoder.end()) };
}

/** Where the trailers begin. */
function lastChunkLineEnd(body: string): number {
  const line = body.search(/\r\n0[;\r]/) + 2;
  return body.indexOf('\r\n', line) + 2;
}

/** Whole, cut in two everywhere, and byte by byte. */
function* splits(body: Buffer): Generator<Buffer[]> {
  yield [body];
  for (let i = 1; i < body.length; i++) yield [body.subarray(0, i), body.subarray(i)];
  yield Array.from(body, (_, i) => body.subarray(i, i + 1));
}

describe('the aws-chunked decoder', () => {
  for (const [name, mode, body] of MODES) {
    it(`decodes at every split point: ${name}`, () => {
      const trailers = mode.trailers?.includes(TRAILER_NAME) ? { [TRAILER_NAME]: 'AAAAAA==' } : {};
      for (const pieces of splits(body)) {
        expect(decode(mode, pieces)).to.deep.equal({ data: DATA.toString(), trailers });
      }
    });

    it(`misses every end that is cut off, but for the empty line: ${name}`, async () => {
      const ends = body.toString('latin1');
      for (let end = 0; end < body.length; end++) {
        if (end === body.length - 2) continue;
        const { code } = await s3Failure(() => decode(mode, [body.subarray(0, end)]));
        const isMissing = end === lastChunkLineEnd(ends) && mode.trailers?.[0] !== undefined;
        const expected = isMissing ? 'MalformedTrailerError' : 'IncompleteBody';
        expect(code, `cut at ${end}`).to.equal(expected);
      }
      const whole = decode(mode, [body]);
      expect(decode(mode, [body.subarray(0, -2)])).to.deep.equal(whole);
    });

    if (mode.signed) {
      it(`refuses every byte that is changed: ${name}`, async () => {
        for (let i = 0; i < body.length; i++) {
          const changed = Buffer.from(body);
          changed[i]! ^= 0x01;
          await s3Failure(() => decode(mode, [changed]));
        }
      });
    }

    it(`ignores what stands behind the end: ${name}`, () => {
      for (const extra of ['\n', '\r\n', '0\r\n\r\n', 'x', `${TRAILER}\r\n`]) {
        for (const pieces of splits(Buffer.concat([body, Buffer.from(extra)]))) {
          expect(decode(mode, pieces).data).to.equal(DATA.toString());
        }
      }
    });

    it(`refuses more or fewer bytes than announced: ${name}`, async () => {
      for (const size of [0, 1, DATA.length - 1, DATA.length + 1]) {
        const attempt = () => decode(mode, [body], { size });
        const { details } = await expectFailure(attempt, 'IncompleteBody');
        expect(details.NumberBytesExpected).to.equal(String(size));
        expect(Number(details.NumberBytesProvided)).to.be.oneOf([CHUNKS[0]!.length, DATA.length]);
      }
    });
  }

  it('decodes an empty body', () => {
    const unsigned = decode(UNSIGNED_PLAIN, [Buffer.from('0\r\n\r\n')], { size: 0 });
    expect(unsigned).to.deep.equal({ data: '', trailers: {} });
    const empty = signedChunks(SIGNER, SEED, []);
    expect(decode(PLAIN, [empty], { size: 0 }).data).to.equal('');
  });

  it('refuses short chunks before the last, where chunks are signed', async () => {
    const body = signedChunks(SIGNER, SEED, CHUNKS);
    const attempt = () => decode(PLAIN, [body], { signedChunkBytesMin: 13 });
    const { details } = await expectFailure(attempt, 'InvalidChunkSizeError');
    // AWS names the number of the chunk behind the short one.
    expect(details).to.deep.equal({ Chunk: '2', BadChunkSize: '12' });
    expect(decode(PLAIN, [body], { signedChunkBytesMin: 12 }).data).to.equal(DATA.toString());
  });
});

const good = unsignedChunks([DATA], { trailers: [TRAILER] }).toString('latin1');
const signed = signedChunks(SIGNER, SEED, [DATA], { trailers: [TRAILER] }).toString('latin1');

describe('aws-chunked bodies that clients write in their own way', () => {
  for (const [what, body] of [
    ['blanks around the semicolon', signed.replaceAll(';', ' ; ')],
    ['blanks around the value', signed.replaceAll(/(chunk-signature)=([0-9a-f]+)/g, '$1 = $2 ')],
    ['tabs', signed.replaceAll(';', '\t;\t')],
    ['blanks around the trailer', signed.replace(TRAILER, `${TRAILER_NAME}: \tAAAAAA== `)],
  ] as const) {
    it(`are read where they have ${what}`, () => {
      for (const pieces of splits(Buffer.from(body, 'latin1'))) {
        const { data, trailers } = decode(SIGNED, pieces);
        expect([data, trailers]).to.deep.equal([DATA.toString(), { [TRAILER_NAME]: 'AAAAAA==' }]);
      }
    });
  }

  it('count the last of two trailers of a name', () => {
    const twice = good.replace(TRAILER, `${TRAILER_NAME}:BBBBBB==\r\n${TRAILER}`);
    const { trailers } = decode(UNSIGNED, [Buffer.from(twice)]);
    expect(trailers).to.deep.equal({ [TRAILER_NAME]: 'AAAAAA==' });
  });

  it('sign a trailer that was announced, or are not whole', async () => {
    const none = signedChunks(SIGNER, SEED, [DATA], { trailers: [] });
    await expectFailure(() => decode({ signed: true, trailers: [] }, [none]), 'IncompleteBody');
  });
});

describe('malformed aws-chunked bodies', () => {
  const plain = signedChunks(SIGNER, SEED, [DATA]).toString('latin1');
  const signature = /[0-9a-f]{64}/;

  const INCOMPLETE = 'IncompleteBody';
  const MALFORMED = 'MalformedTrailerError';
  const MISMATCH = 'SignatureDoesNotMatch';

  type Row = readonly [what: string, code: ErrorCode, body: string, mode: Framing];
  const rows = (mode: Framing, list: readonly (readonly [string, ErrorCode, string])[]): Row[] =>
    list.map(([what, code, body]) => [what, code, body, mode]);

  const CORPUS: readonly Row[] = [
    ...rows(UNSIGNED, [
      ['nothing', INCOMPLETE, ''],
      ['no size', INCOMPLETE, `\r\n${good}`],
      ['size not hexadecimal', INCOMPLETE, good.replace('14\r', '1g\r')],
      ['negative size', INCOMPLETE, good.replace('14\r', '-1\r')],
      ['size with a space in it', INCOMPLETE, good.replace('14\r', '1 4\r')],
      ['size with 0x', INCOMPLETE, good.replace('14\r', '0x14\r')],
      ['size beyond all bounds', INCOMPLETE, good.replace('14\r', `${'f'.repeat(13)}\r`)],
      ['huge size', INCOMPLETE, good.replace('14\r', `${'f'.repeat(12)}\r`)],
      ['bare LF behind a size', INCOMPLETE, good.replace('14\r\n', '14\n')],
      ['bare CR behind a size', INCOMPLETE, good.replace('14\r\n', '14\r')],
      ['extension', INCOMPLETE, good.replace('14\r', '14;x=1\r')],
      ['endless header', INCOMPLETE, '1'.repeat(200)],
      ['size too small', INCOMPLETE, good.replace('14\r', '13\r')],
      ['size too large', INCOMPLETE, good.replace('14\r', '15\r').replace('j\r', 'jk\r\r')],
      ['no CR LF behind a chunk', INCOMPLETE, good.replace('j\r\n', 'j')],
      ['bare LF behind a chunk', INCOMPLETE, good.replace('j\r\n', 'j\n')],
      ['no last chunk', INCOMPLETE, good.replace(/0\r\n[^]*/, '')],
      ['trailer missing', MALFORMED, good.replace(`${TRAILER}\r\n`, '')],
      ['trailer not announced', MALFORMED, good.replace('crc32', 'sha1')],
      ['trailer besides', MALFORMED, good.replace(TRAILER, `${TRAILER}\r\na:b`)],
      ['trailer without colon', MALFORMED, good.replace(TRAILER, 'abc')],
      ['trailer without name', MALFORMED, good.replace(TRAILER_NAME, '')],
      ['signature of nothing', MALFORMED, good.replace(TRAILER_NAME, 'x-amz-trailer-signature')],
      ['endless trailer', MALFORMED, good.replace(TRAILER, 'x'.repeat(20_000))],
      ['bare LF behind a trailer', INCOMPLETE, good.slice(0, -4) + '\n'],
      ['bare CR behind a trailer', INCOMPLETE, good.slice(0, -3)],
      ['nothing behind a trailer', INCOMPLETE, good.slice(0, -4)],
      ['half an empty line', INCOMPLETE, good.slice(0, -1)],
      ['empty line before a trailer', MALFORMED, good.replace(TRAILER, `\r\n${TRAILER}`)],
    ]),
    ...rows(SIGNED, [
      ['chunk without signature', INCOMPLETE, signed.replace(/;chunk[^\r]*/, '')],
      ['other parameter', MISMATCH, signed.replace('chunk-signature', 'chunk-sig')],
      ['empty signature', INCOMPLETE, signed.replace(signature, '')],
      [
        'parameter before the signature',
        MISMATCH,
        signed.replace('chunk-signature', 'extra=param;chunk-signature'),
      ],
      [
        'parameter behind the signature',
        INCOMPLETE,
        signed.replace(/(chunk-signature=[0-9a-f]+)/, '$1;extra=param'),
      ],
      ['wrong signature', MISMATCH, signed.replace(signature, '0'.repeat(64))],
      ['long signature', MISMATCH, signed.replace(signature, 'a'.repeat(70))],
      ['wrong data', MISMATCH, signed.replace('abc', 'abd')],
      ['trailer changed', MISMATCH, signed.replace('AAAAAA==', 'BAAAAA==')],
      ['trailer renamed', MALFORMED, signed.replace('crc32', 'crc32c')],
      ['trailer missing', MISMATCH, signed.replace(`${TRAILER}\r\n`, '')],
      ['trailer unsigned', INCOMPLETE, signed.replace(/x-amz-trailer-s[^\r]*\r\n/, '')],
      ['trailer behind its signature', MALFORMED, `${signed.slice(0, -2)}${TRAILER}\r\n\r\n`],
      [
        'empty line before the signature',
        INCOMPLETE,
        signed.replace('x-amz-trailer-s', '\r\nx-amz-trailer-s'),
      ],
      ['trailer behind an empty line', MALFORMED, signed.replace(TRAILER, `\r\n${TRAILER}`)],
      ['all unsigned', INCOMPLETE, good],
    ]),
    ...rows(PLAIN, [
      ['trailer where none can be', MALFORMED, `${plain.slice(0, -2)}${TRAILER}\r\n\r\n`],
      ['last chunk unsigned', INCOMPLETE, plain.replace(/\r\n0;[^]*/, '\r\n0\r\n\r\n')],
      ['last chunk dropped', INCOMPLETE, plain.replace(/\r\n0;[^]*/, '\r\n')],
    ]),
  ];

  for (const [what, code, body, mode] of CORPUS) {
    it(`${what}: ${code}, wherever it is split`, async () => {
      const bytes = Buffer.from(body, 'latin1');
      const pieceSizes = bytes.length > 1000 ? [1, 7, 4096] : undefined;
      const all = pieceSizes === undefined ? splits(bytes) : pieceSizes.map((n) => cut(bytes, n));
      for (const pieces of all) await expectFailure(() => decode(mode, pieces), code);
    });
  }
});

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}
