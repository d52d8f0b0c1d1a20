import type { DigestFactory } from '../../digest/body-digest.js';
import type { HeaderMap, RequestBody, RequestHead } from '../../http/exchange.js';
import type { QueryParameter } from '../../uri.js';
import { S3Error } from '../s3-error.js';
import { readAuthorizationHeader } from './authorization-header.js';
import { canonicalRequests, unsignedHeaders } from './canonical-request.js';
import { ChunkSignatures } from './chunk-signatures.js';
import { withHoistedHeaders } from './hoisted-headers.js';
import type { Payload } from './payload.js';
import { planPayload, type PayloadOptions } from './payload-plan.js';
import { readPresignedQuery } from './presigned-query.js';
import { findSigned, type SignedRequest } from './signed-request.js';
import { isSameSignature, sign, stringToSign } from './signature.js';
import type { SignatureClaim } from './signature-claim.js';
import type { SigningKeys } from './signing-keys.js';
import { VerifiedPayload } from './verified-payload.js';

/** What one service's signatures of version 4 are read and verified with. */
export interface SignatureV4Context {
  readonly region: string;
  readonly keys: SigningKeys;
  readonly digests: DigestFactory;
}

/**
 * @param authorization undefined for a presigned URL
 * @param hosts that the client may have signed; undefined: the request's own alone
 * @throws S3Error whatever is wrong, but for the signature itself
 */
export function readSignedRequestV4(
  request: RequestHead,
  query: readonly QueryParameter[],
  authorization: string | undefined,
  hosts: readonly string[] | undefined,
  context: SignatureV4Context,
  now: number,
): SignedRequest {
  const { headers } = request;
  const claim =
    authorization === undefined
      ? readPresignedQuery(query, headers, context.region, now)
      : readAuthorizationHeader(authorization, headers, context.region, now);
  const unsigned = unsignedHeaders(headers, claim.signedHeaders);
  if (unsigned.length > 0) {
    throw new S3Error(
      'AccessDenied',
      'There were headers present in the request which were not signed',
      { HeadersNotSigned: unsigned.join(', ') },
    );
  }
  const meant = claim.presigned ? withHoistedHeaders(headers, query) : headers;
  return new SignedRequestV4(request, query, meant, claim, hosts, context);
}

class SignedRequestV4 implements SignedRequest {
  #signingKey: Buffer | undefined;
  #canonicalRequest = '';

  constructor(
    private readonly request: RequestHead,
    private readonly query: readonly QueryParameter[],
    readonly headers: HeaderMap,
    private readonly claim: SignatureClaim,
    private readonly hosts: readonly string[] | undefined,
    private readonly context: SignatureV4Context,
  ) {}

  get accessKey(): string {
    return this.claim.scope.accessKey;
  }

  get securityToken(): string | undefined {
    return this.claim.securityToken;
  }

  isSignedWith(secretKey: string, known: boolean): boolean {
    const { claim, request, query, hosts } = this;
    const { scope } = claim;
    // Only keys of existing users, and nobody's, enter the cache: guesses cannot empty it.
    const owner = known ? scope.credential : scope.scope;
    const signingKey = this.context.keys.get(owner, scope, secretKey);
    this.#signingKey = signingKey;
    const { signed, first } = findSigned(
      canonicalRequests(request, query, claim, hosts),
      (candidate) =>
        isSameSignature(
          sign(signingKey, stringToSign(claim.amzDate, scope.scope, candidate)),
          claim.signature,
        ),
    );
    this.#canonicalRequest = first;
    return signed;
  }

  /** With all that a client needs to find its mistake, as AWS answers; never anything secret. */
  mismatch(): S3Error {
    const { claim } = this;
    return new S3Error('SignatureDoesNotMatch', undefined, {
      AWSAccessKeyId: claim.scope.accessKey,
      StringToSign: stringToSign(claim.amzDate, claim.scope.scope, this.#canonicalRequest),
      SignatureProvided: claim.signature,
      CanonicalRequest: this.#canonicalRequest,
    });
  }

  openPayload(body: RequestBody, options: PayloadOptions): Payload {
    const { payloadMode, amzDate, scope, signature } = this.claim;
    const plan = planPayload(payloadMode, this.request.headers, body.contentLength, options);
    const signatures =
      payloadMode.signedChunks && this.#signingKey !== undefined
        ? new ChunkSignatures({
            signingKey: this.#signingKey,
            amzDate,
            scope: scope.scope,
            seedSignature: signature,
          })
        : undefined;
    return new VerifiedPayload(body, plan, signatures, this.context.digests);
  }
}
