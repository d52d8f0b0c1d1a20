import { expect } from 'chai';
import fc from 'fast-check';

import { createChecksum } from '../../../src/digest/checksum.js';
import { S3Error } from '../../../src/s3/errors.js';
import { bodyOf, requestHead, sizedBody } from '../../support/requests.js';
import { presignQuery, seedOf, signedChunks, Signer, unsignedChunks } from '../../support/sigv4.js';
import {
  AUTHENTICATOR,
  expectNoOtherQuery,
  grammar,
  isAccepted,
  replaced,
  withAuthorization,
  withQuery,
} from './fuzzing.js';
import { DATE, HOST, IDENTITY, signedRequest } from './support.js';

/** Every request ends in an S3 error or has a true signature, and never does anything else. */

const RUNS = { numRuns: 3000 };
const BODY_RUNS = { numRuns: 500 };

const REQUEST = signedRequest('GET', '/bucket/key?prefix=a%2Fb', { 'x-amz-meta-a': '1' });
const AUTHORIZATION = REQUEST.headers.get('authorization')!;
const TO_SIGN = { method: 'GET', rawPath: '/bucket/key', headers: { host: HOST } };
const PRESIGNED = presignQuery(IDENTITY, TO_SIGN, DATE, 600);

describe('authentication under fuzz', () => {
  before(() => {
    expect(isAccepted(REQUEST)).to.be.true;
    expect(isAccepted(withQuery(PRESIGNED))).to.be.true;
  });

  it('accepts no Authorization header with a changed character', () => {
    fc.assert(
      fc.property(replaced(AUTHORIZATION), (authorization) => {
        expect(isAccepted(withAuthorization(REQUEST, authorization))).to.be.false;
      }),
      RUNS,
    );
  });

  it('survives any Authorization header', () => {
    const pieces = [
      'AWS4-HMAC-SHA256',
      'Credential=',
      'SignedHeaders=',
      'Signature=',
      'host;x-amz-date',
      'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request',
      '0'.repeat(64),
      ...[' ', ',', ', ', '=', ';', '/', '\t', '//'],
    ];
    const header = fc.oneof(
      grammar(pieces),
      grammar(pieces).map((text) => `AWS4-HMAC-SHA256 ${text}`),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(header, (authorization) => {
        expect(isAccepted(withAuthorization(REQUEST, authorization))).to.be.false;
      }),
      RUNS,
    );
  });

  it('accepts no presigned query that says something else', () => {
    expectNoOtherQuery(PRESIGNED, RUNS);
  });

  it('survives any query and any headers', () => {
    const query = grammar([...PRESIGNED.split(/(?=[&=])/), '&', '=', '%', '+', '%2F']);
    const names = ['x-amz-date', 'date', 'x-amz-content-sha256', 'host', 'x-amz-meta-a'];
    const headers = fc.dictionary(fc.constantFrom(...names), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(query, headers, fc.boolean(), (rawQuery, more, header) => {
        const base = header ? Object.fromEntries(REQUEST.headers) : {};
        const request = requestHead('GET', '/bucket/key', { ...base, ...more });
        expect(isAccepted({ ...request, rawQuery })).to.be.false;
      }),
      RUNS,
    );
  });
});

describe('payloads under fuzz', () => {
  const DATA = Buffer.from('0123456789'.repeat(1000));
  const checksum = createChecksum('CRC32');
  checksum.update(DATA);
  const TRAILERS = [`x-amz-checksum-crc32:${checksum.digest().toString('base64')}`];
  const headers = {
    'x-amz-decoded-content-length': String(DATA.length),
    'x-amz-trailer': 'x-amz-checksum-crc32',
  };
  const signed = signedRequest(
    'PUT',
    '/b/k',
    headers,
    'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  );
  const unsigned = signedRequest('PUT', '/b/k', headers, 'STREAMING-UNSIGNED-PAYLOAD-TRAILER');
  const seed = seedOf(signed.headers.get('authorization')!);
  const chunks = [DATA.subarray(0, 9000), DATA.subarray(9000)];
  const bodies = [
    [signed, signedChunks(new Signer(IDENTITY, DATE), seed, chunks, { trailers: TRAILERS })],
    [unsigned, unsignedChunks(chunks, { trailers: TRAILERS })],
  ] as const;

  /** Cuts out a range and puts other bytes there; near the framing more often than in the data. */
  const splice = (length: number) =>
    fc.record({
      at: fc.oneof(
        fc.nat(length),
        fc.nat(120),
        fc.integer({ min: length - 400, max: length }),
        fc.integer({ min: length - 1500, max: length - 1000 }),
      ),
      cut: fc.oneof(fc.nat(3), fc.nat(200)),
      insert: fc.oneof(
        fc.constantFrom('', '\r\n', '\n', '0\r\n', ';', ':', 'f', '0'),
        fc.string({ maxLength: 20 }),
      ),
      pieceBytes: fc.integer({ min: 150, max: 12_000 }),
    });

  for (const [request, body] of bodies) {
    it(`gives out the true body or none: ${request.headers.get('x-amz-content-sha256')!}`, async () => {
      const authentication = await AUTHENTICATOR.authenticate(request);
      const read = async (bytes: Buffer, pieceBytes: number): Promise<Buffer | undefined> => {
        try {
          const payload = authentication.openPayload(sizedBody(bytes, pieceBytes));
          return await payload.collect(DATA.length);
        } catch (error) {
          if (error instanceof S3Error) return undefined;
          throw error;
        }
      };
      expect((await read(body, 1000))?.equals(DATA)).to.be.true;
      await fc.assert(
        fc.asyncProperty(splice(body.length), async ({ at, cut, insert, pieceBytes }) => {
          const changed = Buffer.concat([
            body.subarray(0, at),
            Buffer.from(insert),
            body.subarray(at + cut),
          ]);
          const given = await read(changed, pieceBytes);
          expect(given === undefined || given.equals(DATA)).to.be.true;
        }),
        BODY_RUNS,
      );
    });
  }

  it('survives any headers about the body', async () => {
    const values = fc.oneof(
      fc.constantFrom('', '0', '10', 'CRC32', 'TJkU6g==', 'x-amz-checksum-crc32', 'aws-chunked'),
      fc.string({ maxLength: 30 }),
    );
    const names = [
      'content-md5',
      'content-encoding',
      'x-amz-decoded-content-length',
      'x-amz-trailer',
      'x-amz-sdk-checksum-algorithm',
      'x-amz-checksum-crc32',
      'x-amz-checksum-sha256',
      'x-amz-checksum-other',
    ];
    const modes = ['UNSIGNED-PAYLOAD', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', '0'.repeat(64)];
    const about = fc.dictionary(fc.constantFrom(...names), values);
    await fc.assert(
      fc.asyncProperty(about, fc.constantFrom(...modes), async (more, mode) => {
        // Signed over their trimmed form, as values arrive from the edge.
        const trimmed = Object.fromEntries(Object.entries(more).map(([k, v]) => [k, v.trim()]));
        const authentication = await AUTHENTICATOR.authenticate(
          signedRequest('PUT', '/b/k', trimmed, mode),
        );
        try {
          await authentication.openPayload(bodyOf([Buffer.from('0\r\n\r\n')])).collect(1000);
        } catch (error) {
          if (!(error instanceof S3Error)) throw error;
        }
      }),
      BODY_RUNS,
    );
  });
});
