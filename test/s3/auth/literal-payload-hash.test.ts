import { expect } from 'chai';

import type { RequestHead } from '../../../src/http/exchange.js';
import { requestHead, sizedBody } from '../../support/requests.js';
import { signHeadersV2 } from '../../support/sigv2.js';
import { presignQuery, sha256Hex, unsignedChunks } from '../../support/sigv4.js';
import { DATE, HOST, IDENTITY, s3Failure, verify } from './support.js';

const BODY = Buffer.from('body');
const UNSIGNED_TRAILER = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
const SIGNED_CHUNKS = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';

describe('a payload hash that the signature is not made with', () => {
  const LITERALS = ['invalid', 'unsigned-payload', '0'.repeat(64), UNSIGNED_TRAILER, SIGNED_CHUNKS];
  const v2 = (method: string, contentSha256: string): RequestHead => {
    const headers = {
      host: HOST,
      date: DATE.toUTCString(),
      'x-amz-content-sha256': contentSha256,
      'x-amz-decoded-content-length': String(BODY.length),
    };
    return requestHead(
      method,
      '/b/k',
      signHeadersV2(IDENTITY, { method, rawPath: '/b/k', headers }),
    );
  };
  const presigned = (method: string, contentSha256: string): RequestHead => {
    const headers = {
      host: HOST,
      'x-amz-content-sha256': contentSha256,
      'x-amz-decoded-content-length': String(BODY.length),
    };
    const signed = { method, rawPath: '/b/k', headers };
    const query = presignQuery(IDENTITY, signed, DATE, 60, contentSha256);
    return requestHead(method, `/b/k?${query}`, headers);
  };

  for (const [what, requestOf] of [
    ['version 2', v2],
    ['a presigned URL of version 4', presigned],
  ] as const) {
    it(`means nothing for a GET: ${what}`, async () => {
      for (const literal of LITERALS) await verify(requestOf('GET', literal));
    });

    it(`is what the body is compared with, whatever it says: ${what}`, async () => {
      for (const literal of LITERALS) {
        const authentication = await verify(requestOf('PUT', literal));
        const payload = authentication.openPayload(sizedBody(BODY));
        const error = await s3Failure(() => payload.collect(100));
        expect(error.code).to.equal('XAmzContentSHA256Mismatch');
        expect(error.details).to.deep.equal({
          ClientComputedContentSHA256: literal,
          S3ComputedContentSHA256: sha256Hex(BODY),
        });
      }
      const good = (await verify(requestOf('PUT', sha256Hex(BODY)))).openPayload(sizedBody(BODY));
      expect((await good.collect(100)).equals(BODY)).to.be.true;
    });

    it(`never frames the body: ${what}`, async () => {
      const body = sizedBody(unsignedChunks([BODY]));
      const authentication = await verify(requestOf('PUT', UNSIGNED_TRAILER));
      const error = await s3Failure(() => authentication.openPayload(body));
      expect(error.code).to.equal('IncompleteBody');
      expect(error.details).to.deep.equal({
        NumberBytesExpected: String(BODY.length),
        NumberBytesProvided: String(body.contentLength),
      });
    });
  }
});
