import { randomBytes } from 'node:crypto';
import type { DigestFactory } from '../../digest/body-digest.js';
import type { HeaderMap, RequestBody, RequestHead } from '../../http/exchange.js';
import { parseQuery, type QueryParameter } from '../../uri.js';
import { S3Error } from '../s3-error.js';
import { readAuthorizationHeader } from './authorization-header.js';
import { canonicalRequests, unsignedHeaders } from './canonical-request.js';
import { ChunkSignatures } from './chunk-signatures.js';
import { withHoistedHeaders } from './hoisted-headers.js';
import type { Payload } from './payload.js';
import { planPayload, type PayloadOptions } from './payload-plan.js';
import { isPresigned, readPresignedQuery } from './presigned-query.js';
import type { Credential, CredentialSource, Principal } from './principal.js';
import { isSameSignature, sign, stringToSign } from './signature.js';
import { ALGORITHM, type SignatureClaim } from './signature-claim.js';
import { SigningKeys } from './signing-keys.js';
import { VerifiedPayload } from './verified-payload.js';

export interface AuthenticatorOptions {
  readonly credentials: CredentialSource;
  /** The one region that signatures may name. */
  readonly region: string;
  readonly digests: DigestFactory;
  /** Milliseconds since the epoch. */
  readonly clock?: (() => number) | undefined;
}

export interface Authenticator {
  /**
   * Verifies the request's signature; the body's, if it has one, is verified by the payload.
   * At once when the credential is at hand, by a promise when it has to be fetched.
   * @param query the request's, when it has been parsed already
   * @throws S3Error with AWS's code for whatever is wrong; `AccessDenied` for an unsigned request
   *   (SPEC.md 5.2)
   */
  authenticate(
    request: RequestHead,
    query?: readonly QueryParameter[],
  ): Authentication | Promise<Authentication>;
}

export interface Authentication {
  readonly principal: Principal;
  /** The request's headers, and those that a presigned URL carries in its query. */
  readonly headers: HeaderMap;
  /**
   * Costs nothing until it is read.
   * @throws S3Error when the headers that describe the body are wrong or contradict each other
   */
  openPayload(body: RequestBody, options?: PayloadOptions): Payload;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  return new SignatureV4Authenticator(options);
}

class SignatureV4Authenticator implements Authenticator {
  readonly #keys = new SigningKeys();
  readonly #clock: () => number;
  /** Signs for access keys that do not exist, so that they cost the time of those that do. */
  readonly #nobodysSecret = randomBytes(32).toString('hex');

  constructor(private readonly options: AuthenticatorOptions) {
    this.#clock = options.clock ?? Date.now;
  }

  authenticate(
    request: RequestHead,
    query = parseQuery(request.rawQuery),
  ): Authentication | Promise<Authentication> {
    if (query === undefined) throw new S3Error('InvalidURI');
    const claim = readClaim(request, query, this.options.region, this.#clock());
    const unsigned = unsignedHeaders(request.headers, claim.signedHeaders);
    if (unsigned.length > 0) {
      throw new S3Error(
        'AccessDenied',
        'There were headers present in the request which were not signed',
        { HeadersNotSigned: unsigned.join(', ') },
      );
    }
    const found = this.options.credentials.find(claim.scope.accessKey);
    return found instanceof Promise
      ? found.then((credential) => this.#verify(request, query, claim, credential))
      : this.#verify(request, query, claim, found);
  }

  #verify(
    request: RequestHead,
    query: readonly QueryParameter[],
    claim: SignatureClaim,
    credential: Credential | undefined,
  ): Authentication {
    const { scope } = claim;
    // Only keys of existing users, and nobody's, enter the cache: guesses cannot empty it.
    const owner = credential === undefined ? scope.scope : scope.credential;
    const secretKey = credential?.secretKey ?? this.#nobodysSecret;
    const signingKey = this.#keys.get(owner, scope, secretKey);
    const canonicalRequest = findSigned(canonicalRequests(request, query, claim), (candidate) =>
      isSameSignature(
        sign(signingKey, stringToSign(claim.amzDate, scope.scope, candidate)),
        claim.signature,
      ),
    );
    if (credential === undefined) {
      throw new S3Error('InvalidAccessKeyId', undefined, { AWSAccessKeyId: scope.accessKey });
    }
    if (!canonicalRequest.signed) throw signatureMismatch(claim, canonicalRequest.first);
    // A token would belong to temporary credentials; nothing issues them, so that it is not ours.
    if (claim.securityToken !== undefined) throw new S3Error('InvalidToken');
    // Without the secret, which nobody further up has any use for.
    const { accessKey, account, role } = credential;
    const principal = { accessKey, account, role };
    return new VerifiedRequest(request, query, claim, principal, signingKey, this.options.digests);
  }
}

/** Keeps what the payload needs; one per request, so that opening a payload is all that costs. */
class VerifiedRequest implements Authentication {
  constructor(
    private readonly request: RequestHead,
    private readonly query: readonly QueryParameter[],
    private readonly claim: SignatureClaim,
    readonly principal: Principal,
    private readonly signingKey: Buffer,
    private readonly digests: DigestFactory,
  ) {}

  get headers(): HeaderMap {
    const { headers } = this.request;
    return this.claim.presigned ? withHoistedHeaders(headers, this.query) : headers;
  }

  openPayload(body: RequestBody, options: PayloadOptions = {}): Payload {
    const { payloadMode, amzDate, scope, signature } = this.claim;
    const plan = planPayload(payloadMode, this.request.headers, body.contentLength, options);
    const signatures = payloadMode.signedChunks
      ? new ChunkSignatures({
          signingKey: this.signingKey,
          amzDate,
          scope: scope.scope,
          seedSignature: signature,
        })
      : undefined;
    return new VerifiedPayload(body, plan, signatures, this.digests);
  }
}

/** Which of the request's ways to be signed was used, if it was. */
function readClaim(
  request: RequestHead,
  query: readonly QueryParameter[],
  region: string,
  now: number,
): SignatureClaim {
  const authorization = request.headers.get('authorization');
  const presigned = isPresigned(query);
  const version2 = query.some(({ name }) => name === 'AWSAccessKeyId' || name === 'Signature');
  if (authorization === undefined) {
    if (presigned) return readPresignedQuery(query, request.headers, region, now);
    if (version2) throw unsupportedMechanism();
    throw new S3Error('AccessDenied');
  }
  if (presigned || version2) {
    throw new S3Error(
      'InvalidArgument',
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
      { ArgumentName: 'Authorization' },
    );
  }
  const scheme = authorization.split(' ', 1)[0];
  if (scheme === ALGORITHM) {
    return readAuthorizationHeader(authorization, request.headers, region, now);
  }
  if (scheme === 'AWS' || scheme === 'AWS4-ECDSA-P256-SHA256') throw unsupportedMechanism();
  // AWS repeats the header's value here; it may be somebody's token, and goes into no document.
  throw new S3Error('InvalidArgument', 'Unsupported Authorization Type', {
    ArgumentName: 'Authorization',
  });
}

function unsupportedMechanism(): S3Error {
  return new S3Error(
    'InvalidRequest',
    `The authorization mechanism you have provided is not supported. Please use ${ALGORITHM}.`,
  );
}

/** Tries one candidate after the other. @returns the first one too, for the error */
function findSigned(
  candidates: Iterable<string>,
  isSigned: (canonicalRequest: string) => boolean,
): { readonly signed: boolean; readonly first: string } {
  let first: string | undefined;
  for (const candidate of candidates) {
    first ??= candidate;
    if (isSigned(candidate)) return { signed: true, first };
  }
  return { signed: false, first: first ?? '' };
}

/** With all that a client needs to find its mistake, as AWS answers; never anything secret. */
function signatureMismatch(claim: SignatureClaim, canonicalRequest: string): S3Error {
  return new S3Error('SignatureDoesNotMatch', undefined, {
    AWSAccessKeyId: claim.scope.accessKey,
    StringToSign: stringToSign(claim.amzDate, claim.scope.scope, canonicalRequest),
    SignatureProvided: claim.signature,
    CanonicalRequest: canonicalRequest,
  });
}
