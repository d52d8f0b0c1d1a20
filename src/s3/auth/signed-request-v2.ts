import { createHmac } from 'node:crypto';
import type { DigestFactory } from '../../digest/body-digest.js';
import type { HeaderMap, RequestBody, RequestHead } from '../../http/exchange.js';
import type { QueryParameter } from '../../lib/uri.js';
import type { S3Error } from '../errors.js';
import {
  readAuthorizationHeaderV2,
  withHoistedHeadersV2,
  readPresignedQueryV2,
  type SignatureClaimV2,
  stringsToSign,
} from './signature-v2.js';
import {
  type Payload,
  literalPayloadMode,
  type PayloadMode,
  planPayload,
  type PayloadOptions,
} from './payload-plan.js';
import { signatureComparison, signatureMismatch } from './signature-v4.js';
import { findSigned, type SignedRequest } from './mechanism.js';
import { VerifiedPayload } from './verified-payload.js';

/** Base64 of the 20 bytes of SHA-1. */
const isSameSignatureV2 = signatureComparison(28);

/**
 * @param authorization undefined for a presigned URL
 * @param hostBucket the bucket that the host name has; empty for path style
 * @throws S3Error whatever is wrong, but for the signature itself
 */
export function readSignedRequestV2(
  request: RequestHead,
  query: readonly QueryParameter[],
  authorization: string | undefined,
  hostBucket: string,
  digests: DigestFactory,
  now: number,
): SignedRequest {
  const claim =
    authorization === undefined
      ? readPresignedQueryV2(query, now)
      : readAuthorizationHeaderV2(authorization, request.headers, now);
  const headers = claim.presigned
    ? withHoistedHeadersV2(request.headers, query, false)
    : request.headers;
  const mode = literalPayloadMode(headers.get('x-amz-content-sha256'));
  return new SignedRequestV2(request, query, headers, claim, mode, hostBucket, digests);
}

class SignedRequestV2 implements SignedRequest {
  readonly signsChunks = false;
  #stringToSign = '';

  constructor(
    private readonly request: RequestHead,
    private readonly query: readonly QueryParameter[],
    readonly headers: HeaderMap,
    private readonly claim: SignatureClaimV2,
    private readonly mode: PayloadMode,
    private readonly hostBucket: string,
    private readonly digests: DigestFactory,
  ) {}

  get accessKey(): string {
    return this.claim.accessKey;
  }

  get signature(): string {
    return this.claim.signature;
  }

  get securityToken(): string | undefined {
    return this.headers.get('x-amz-security-token');
  }

  isSignedWith(secretKey: string): boolean {
    return findSigned(this.stringsToSign(), (text) =>
      isSameSignatureV2(signV2(secretKey, text), this.claim.signature),
    );
  }

  *stringsToSign(): Generator<string, void, undefined> {
    const { request, query, claim, hostBucket } = this;
    const headers = claim.presigned
      ? withHoistedHeadersV2(request.headers, query, true)
      : request.headers;
    for (const text of stringsToSign({ request, query, headers, date: claim.date, hostBucket })) {
      this.#stringToSign ||= text;
      yield text;
    }
  }

  mismatch(): S3Error {
    const { accessKey, signature } = this.claim;
    return signatureMismatch({
      accessKey,
      stringToSign: this.#stringToSign,
      provided: signature,
    });
  }

  openPayload(body: RequestBody, options: PayloadOptions): Payload {
    const plan = planPayload(this.mode, this.headers, body.contentLength, options);
    return new VerifiedPayload(body, plan, undefined, this.digests);
  }
}

function signV2(secretKey: string, text: string): string {
  return createHmac('sha1', secretKey).update(text).digest('base64');
}
