import type { DigestFactory } from '../../digest/body-digest.js';
import type { HeaderMap, RequestBody, RequestHead } from '../../http/exchange.js';
import type { QueryParameter } from '../../lib/uri.js';
import { S3Error } from '../errors.js';
import { type AuthorizationReader, readAuthorizationHeader } from './authorization-header.js';
import { canonicalRequest, canonicalRequests, unsignedHeaders } from './canonical-request.js';
import { ChunkSignatures } from './chunk-signatures.js';
import type { HmacKey } from '../../digest/hmac-key.js';
import { withHoistedHeaders, readPresignedQuery } from './presigned-query.js';
import { type Payload, planPayload, type PayloadOptions } from './payload-plan.js';
import { findSigned, type SignedRequest } from './mechanism.js';
import {
  isSameSignature,
  signatureMismatch,
  stringToSign,
  type SignatureClaim,
  type SigningKeys,
} from './signature-v4.js';
import { VerifiedPayload } from './verified-payload.js';

/** The tools that read and verify one service's signatures of version 4. */
export interface SignatureV4Context {
  readonly region: string;
  /** The reader of headers for the same region. */
  readonly reader: AuthorizationReader;
  readonly keys: SigningKeys;
  readonly digests: DigestFactory;
}

/**
 * @param authorization undefined for a presigned URL
 * @param hosts that the client may have signed; undefined: the request's own alone
 * @throws S3Error for anything wrong but the signature itself
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
      : readAuthorizationHeader(authorization, headers, context.reader, now);
  const unsigned = unsignedHeaders(headers, claim.signedNames);
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

const CHUNKS_NEED_SECRET =
  'Signed chunks cannot be verified: the identity service keeps the secret. Sign the whole payload, or none of it.';

class SignedRequestV4 implements SignedRequest {
  #signingKey: HmacKey | undefined;
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

  get signature(): string {
    return this.claim.signature;
  }

  get signsChunks(): boolean {
    return this.claim.payloadMode.signedChunks;
  }

  get securityToken(): string | undefined {
    return this.claim.securityToken;
  }

  isSignedWith(secretKey: string, known: boolean): boolean {
    const { scope, signature } = this.claim;
    // Only keys of existing users, and one placeholder, enter the cache: guessed keys cannot empty
    // it.
    const owner = known ? scope.credential : scope.scope;
    const signingKey = this.context.keys.get(owner, scope, secretKey);
    const signs = (text: string): boolean => isSameSignature(signingKey.sign(text), signature);
    const likeliest = this.#likeliest();
    const isSigned =
      (likeliest !== undefined && signs(likeliest)) || findSigned(this.stringsToSign(), signs);
    // One that does not fit has signed no chunks either.
    this.#signingKey = isSigned ? signingKey : undefined;
    return isSigned;
  }

  /** The string that nearly all clients sign; undefined where another one comes first. */
  #likeliest(): string | undefined {
    const { claim, request, query, hosts } = this;
    if (hosts !== undefined && hosts[0] !== request.headers.get('host')) return undefined;
    const canonical = canonicalRequest(request, query, claim);
    this.#canonicalRequest = canonical;
    return stringToSign(claim.amzDate, claim.scope.scope, canonical);
  }

  *stringsToSign(): Generator<string, void, undefined> {
    const { claim, request, query, hosts } = this;
    for (const candidate of canonicalRequests(request, query, claim, hosts)) {
      this.#canonicalRequest ||= candidate;
      yield stringToSign(claim.amzDate, claim.scope.scope, candidate);
    }
  }

  mismatch(): S3Error {
    const { claim } = this;
    const signed = stringToSign(claim.amzDate, claim.scope.scope, this.#canonicalRequest);
    return this.#mismatch(signed, claim.signature);
  }

  #mismatch(stringToSign: string, provided: string): S3Error {
    const { accessKey } = this.claim.scope;
    const canonicalRequest = this.#canonicalRequest;
    return signatureMismatch({ accessKey, stringToSign, provided, canonicalRequest });
  }

  openPayload(body: RequestBody, options: PayloadOptions): Payload {
    const { payloadMode, amzDate, scope, signature } = this.claim;
    const plan = planPayload(payloadMode, this.request.headers, body.contentLength, options);
    if (!payloadMode.signedChunks) {
      return new VerifiedPayload(body, plan, undefined, this.context.digests);
    }
    const signingKey = this.#signingKey;
    if (signingKey === undefined) throw new S3Error('NotImplemented', CHUNKS_NEED_SECRET);
    const signatures = new ChunkSignatures({
      signingKey,
      amzDate,
      scope: scope.scope,
      seedSignature: signature,
      mismatch: (signed, provided) => this.#mismatch(signed, provided),
    });
    return new VerifiedPayload(body, plan, signatures, this.context.digests);
  }
}
