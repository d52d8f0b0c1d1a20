import { expect } from 'chai';

import type { RequestHead } from '../../../src/http/exchange.js';
import { sizedBody } from '../../support/requests.js';
import { sha256Hex, unsignedChunks } from '../../support/sigv4.js';
import {
  expectFailure,
  presignedRequest,
  SIGNED_CHUNKS,
  signedRequestV2,
  UNSIGNED_TRAILER,
  verify,
} from './support.js';

const BODY = Buffer.from('body');

describe('a payload hash that the signature is not made with', () => {
  const LITERALS = ['invalid', 'unsigned-payload', '0'.repeat(64), UNSIGNED_TRAILER, SIGNED_CHUNKS];
  const headersOf = (contentSha256: string) => ({
    'x-amz-content-sha256': contentSha256,
    'x-amz-decoded-content-length': String(BODY.length),
  });
  const v2 = (method: string, contentSha256: string): RequestHead =>
    signedRequestV2(method, '/b/k', headersOf(contentSha256));
  const presigned = (method: string, contentSha256: string): RequestHead =>
    presignedRequest(method, '/b/k', headersOf(contentSha256), { contentSha256 });

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
        const attempt = () => payload.collect(100);
        const { details } = await expectFailure(attempt, 'XAmzContentSHA256Mismatch');
        expect(details).to.deep.equal({
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
      const attempt = () => authentication.openPayload(body);
      const { details } = await expectFailure(attempt, 'IncompleteBody');
      expect(details).to.deep.equal({
        NumberBytesExpected: String(BODY.length),
        NumberBytesProvided: String(body.contentLength),
      });
    });
  }
});
