import { expect } from 'chai';

import { ChunkSignatures } from '../../../src/s3/auth/chunk-signatures.js';
import {
  ChunkedDecoder,
  type ChunkedFormat,
  type ChunkVerifier,
} from '../../../src/s3/auth/chunked-decoder.js';
import { HmacKey } from '../../../src/digest/hmac-key.js';
import { deriveSigningKey } from '../../../src/s3/auth/signing-keys.js';
import type { ErrorCode } from '../../../src/s3/errors.js';
import { amzDateOf, signedChunks, Signer, unsignedChunks } from '../../support/sigv4.js';
import { DATE, IDENTITY, s3Failure } from './support.js';

const SEED = 'f'.repeat(64);
const SIGNER = new Signer(IDENTITY, DATE);
const DATA = Buffer.from('0123456789abcdefghij');
const CHUNKS = [DATA.subarray(0, 12), DATA.subarray(12)];
const TRAILER_NAME = 'x-amz-checksum-crc32';
const TRAILER = `${TRAILER_NAME}:AAAAAA==`;

interface Mode {
  readonly name: string;
  readonly body: Buffer;
  readonly trailers: readonly string[] | undefined;
  readonly signed: boolean;
}

type Framing = Pick<Mode, 'signed' | 'trailers'>;

const MODES: readonly Mode[] = [
  {
    name: 'signed',
    body: signedChunks(SIGNER, SEED, CHUNKS),
    trailers: undefined,
    signed: true,
  },
  {
    name: 'signed with a trailer',
    body: signedChunks(SIGNER, SEED, CHUNKS, { trailers: [TRAILER] }),
    trailers: [TRAILER_NAME],
    signed: true,
  },
  {
    name: 'signed with a trailer, as minio-go writes it',
    body: signedChunks(SIGNER, SEED, CHUNKS, { trailers: [TRAILER], trailerEnd: '\n\r\n' }),
    trailers: [TRAILER_NAME],
    signed: true,
  },
  {
    name: 'unsigned with a trailer',
    body: unsignedChunks(CHUNKS, { trailers: [TRAILER] }),
    trailers: [TRAILER_NAME],
    signed: false,
  },
  {
    name: 'unsigned without one',
    body: unsignedChunks(CHUNKS),
    trailers: [],
    signed: false,
  },
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

/** Whole, cut in two everywhere, and byte by byte. */
function* splits(body: Buffer): Generator<Buffer[]> {
  yield [body];
  for (let i = 1; i < body.length; i++) yield [body.subarray(0, i), body.subarray(i)];
  yield Array.from(body, (_, i) => body.subarray(i, i + 1));
}

describe('the aws-chunked decoder', () => {
  for (const mode of MODES) {
    it(`decodes at every split point: ${mode.name}`, () => {
      const trailers = mode.trailers?.includes(TRAILER_NAME) ? { [TRAILER_NAME]: 'AAAAAA==' } : {};
      for (const pieces of splits(mode.body)) {
        expect(decode(mode, pieces)).to.deep.equal({ data: DATA.toString(), trailers });
      }
    });

    it(`misses every end that is cut off: ${mode.name}`, async () => {
      for (let end = 0; end < mode.body.length; end++) {
        const { code } = await s3Failure(() => decode(mode, [mode.body.subarray(0, end)]));
        expect(code, `cut at ${end}`).to.equal('IncompleteBody');
      }
    });

    if (mode.signed) {
      it(`refuses every byte that is changed: ${mode.name}`, async () => {
        for (let i = 0; i < mode.body.length; i++) {
          const changed = Buffer.from(mode.body);
          changed[i]! ^= 0x01;
          await s3Failure(() => decode(mode, [changed]));
        }
      });
    }

    it(`refuses bytes behind the end: ${mode.name}`, async () => {
      for (const extra of ['\n', '\r\n', '0\r\n\r\n', 'x']) {
        const body = Buffer.concat([mode.body, Buffer.from(extra)]);
        const { code } = await s3Failure(() => decode(mode, [body]));
        expect(code).to.equal('InvalidRequest');
      }
    });

    it(`refuses more or fewer bytes than announced: ${mode.name}`, async () => {
      for (const size of [0, 1, DATA.length - 1, DATA.length + 1]) {
        const { code } = await s3Failure(() => decode(mode, [mode.body], { size }));
        expect(code).to.equal('IncompleteBody');
      }
    });
  }

  it('decodes an empty body', () => {
    expect(
      decode({ signed: false, trailers: [] }, [Buffer.from('0\r\n\r\n')], { size: 0 }),
    ).to.deep.equal({ data: '', trailers: {} });
    const empty = signedChunks(SIGNER, SEED, []);
    expect(decode({ signed: true, trailers: undefined }, [empty], { size: 0 }).data).to.equal('');
  });

  it('refuses short chunks before the last, where chunks are signed', async () => {
    const mode = { signed: true, trailers: undefined };
    const body = signedChunks(SIGNER, SEED, CHUNKS);
    const { code } = await s3Failure(() => decode(mode, [body], { signedChunkBytesMin: 13 }));
    expect(code).to.equal('InvalidChunkSizeError');
    expect(decode(mode, [body], { signedChunkBytesMin: 12 }).data).to.equal(DATA.toString());
  });
});

describe('malformed aws-chunked bodies', () => {
  const UNSIGNED = { signed: false, trailers: [TRAILER_NAME] };
  const SIGNED = { signed: true, trailers: [TRAILER_NAME] };
  const PLAIN = { signed: true, trailers: undefined };
  const good = unsignedChunks([DATA], { trailers: [TRAILER] }).toString('latin1');
  const signed = signedChunks(SIGNER, SEED, [DATA], { trailers: [TRAILER] }).toString('latin1');
  const plain = signedChunks(SIGNER, SEED, [DATA]).toString('latin1');
  const signature = /[0-9a-f]{64}/;

  type Row = readonly [what: string, code: ErrorCode, body: string, mode: Framing];
  const rows = (mode: Framing, list: readonly (readonly [string, ErrorCode, string])[]): Row[] =>
    list.map(([what, code, body]) => [what, code, body, mode]);

  const CORPUS: readonly Row[] = [
    ...rows(UNSIGNED, [
      ['nothing', 'IncompleteBody', ''],
      ['no size', 'InvalidRequest', `\r\n${good}`],
      ['size not hexadecimal', 'InvalidRequest', good.replace('14\r', '1g\r')],
      ['negative size', 'InvalidRequest', good.replace('14\r', '-1\r')],
      ['size with a space', 'InvalidRequest', good.replace('14\r', '14 \r')],
      ['size with 0x', 'InvalidRequest', good.replace('14\r', '0x14\r')],
      ['size beyond all bounds', 'InvalidRequest', good.replace('14\r', `${'f'.repeat(13)}\r`)],
      ['huge size', 'IncompleteBody', good.replace('14\r', `${'f'.repeat(12)}\r`)],
      ['bare LF behind a size', 'InvalidRequest', good.replace('14\r\n', '14\n')],
      ['bare CR behind a size', 'InvalidRequest', good.replace('14\r\n', '14\r')],
      ['extension', 'InvalidRequest', good.replace('14\r', '14;x=1\r')],
      ['endless header', 'InvalidRequest', '1'.repeat(200)],
      ['size too small', 'InvalidRequest', good.replace('14\r', '13\r')],
      ['size too large', 'IncompleteBody', good.replace('14\r', '15\r').replace('j\r', 'jk\r\r')],
      ['no CR LF behind a chunk', 'InvalidRequest', good.replace('j\r\n', 'j')],
      ['bare LF behind a chunk', 'InvalidRequest', good.replace('j\r\n', 'j\n')],
      ['no last chunk', 'IncompleteBody', good.replace(/0\r\n[^]*/, '')],
      ['trailer missing', 'MalformedTrailerError', good.replace(`${TRAILER}\r\n`, '')],
      ['trailer twice', 'MalformedTrailerError', good.replace(TRAILER, `${TRAILER}\r\n${TRAILER}`)],
      ['trailer not announced', 'MalformedTrailerError', good.replace('crc32', 'sha1')],
      ['trailer besides', 'MalformedTrailerError', good.replace(TRAILER, `${TRAILER}\r\na:b`)],
      ['trailer without colon', 'MalformedTrailerError', good.replace(TRAILER, 'abc')],
      ['trailer without name', 'MalformedTrailerError', good.replace(TRAILER_NAME, '')],
      [
        'signature of nothing',
        'MalformedTrailerError',
        good.replace(TRAILER_NAME, 'x-amz-trailer-signature'),
      ],
      ['endless trailer', 'InvalidRequest', good.replace(TRAILER, 'x'.repeat(20_000))],
      ['no end', 'IncompleteBody', good.slice(0, -2)],
    ]),
    ...rows(SIGNED, [
      ['chunk without signature', 'InvalidRequest', signed.replace(/;chunk[^\r]*/, '')],
      ['other extension', 'InvalidRequest', signed.replace('chunk-signature', 'chunk-sig')],
      ['empty signature', 'SignatureDoesNotMatch', signed.replace(signature, '')],
      ['wrong signature', 'SignatureDoesNotMatch', signed.replace(signature, '0'.repeat(64))],
      ['long signature', 'SignatureDoesNotMatch', signed.replace(signature, 'a'.repeat(70))],
      ['wrong data', 'SignatureDoesNotMatch', signed.replace('abc', 'abd')],
      ['trailer changed', 'SignatureDoesNotMatch', signed.replace('AAAAAA==', 'BAAAAA==')],
      ['trailer renamed', 'MalformedTrailerError', signed.replace('crc32', 'crc32c')],
      ['trailer missing', 'SignatureDoesNotMatch', signed.replace(`${TRAILER}\r\n`, '')],
      ['trailer unsigned', 'IncompleteBody', signed.replace(/x-amz-trailer-s[^\r]*\r\n/, '')],
      [
        'trailer behind its signature',
        'MalformedTrailerError',
        `${signed.slice(0, -2)}${TRAILER}\r\n\r\n`,
      ],
      [
        'two empty lines',
        'MalformedTrailerError',
        signed.replace('x-amz-trailer-s', '\r\n\r\nx-amz-trailer-s'),
      ],
      [
        'trailer behind an empty line',
        'MalformedTrailerError',
        signed.replace(TRAILER, `\r\n${TRAILER}`),
      ],
      ['all unsigned', 'InvalidRequest', good],
    ]),
    ...rows(PLAIN, [
      [
        'trailer where none can be',
        'MalformedTrailerError',
        `${plain.slice(0, -2)}${TRAILER}\r\n\r\n`,
      ],
      ['last chunk unsigned', 'InvalidRequest', plain.replace(/\r\n0;[^]*/, '\r\n0\r\n\r\n')],
      ['last chunk dropped', 'IncompleteBody', plain.replace(/\r\n0;[^]*/, '\r\n')],
    ]),
  ];

  for (const [what, code, body, mode] of CORPUS) {
    it(`${what}: ${code}, wherever it is split`, async () => {
      const bytes = Buffer.from(body, 'latin1');
      const pieceSizes = bytes.length > 1000 ? [1, 7, 4096] : undefined;
      const all = pieceSizes === undefined ? splits(bytes) : pieceSizes.map((n) => cut(bytes, n));
      for (const pieces of all) {
        const error = await s3Failure(() => decode(mode, pieces));
        expect(error.code).to.equal(code);
      }
    });
  }
});

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}
