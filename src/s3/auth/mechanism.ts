import type { DigestFactory } from '../../digest/body-digest.js';
import type { HeaderMap, RequestBody } from '../../http/exchange.js';
import type { QueryParameter } from '../../lib/uri.js';
import { S3Error } from '../errors.js';
import type { Authentication } from './authenticate.js';
import {
  type Payload,
  type PayloadOptions,
  literalPayloadMode,
  UNSIGNED_PAYLOAD,
  planPayload,
} from './payload-plan.js';
import { isPresigned } from './presigned-query.js';
import type { Principal } from './principal.js';
import { isPresignedV2 } from './signature-v2.js';
import { ALGORITHM } from './signature-v4.js';
import { VerifiedPayload } from './verified-payload.js';

/** A request whose signature is well-formed and fresh, but not verified: one class per scheme. */
export interface SignedRequest {
  readonly accessKey: string;
  /** The signature as sent. */
  readonly signature: string;
  /** Chunks of the body are signed, too. */
  readonly signsChunks: boolean;
  /** The token of temporary credentials, which this service never issues. */
  readonly securityToken: string | undefined;
  /** The request's headers, and those that a presigned URL carries in its query. */
  readonly headers: HeaderMap;
  /**
   * Takes the same time for every secret.
   * @param known false for the placeholder secret of an unknown access key
   */
  isSignedWith(secretKey: string, known: boolean): boolean;
  /** The strings that the client may have signed, likeliest first. */
  stringsToSign(): Iterable<string>;
  /** The answer to a wrong signature. */
  mismatch(): S3Error;
  /**
   * Like `Authentication.openPayload`. Call it only after {@link isSignedWith}, or when an identity
   * service has verified the signature.
   * @throws S3Error NotImplemented for signed chunks when the secret is not known here
   */
  openPayload(body: RequestBody, options: PayloadOptions): Payload;
}

/** Tries one candidate after the other. */
export function findSigned(
  candidates: Iterable<string>,
  isSigned: (candidate: string) => boolean,
): boolean {
  for (const candidate of candidates) {
    if (isSigned(candidate)) return true;
  }
  return false;
}

/** An unsigned read, for the account that answers them. ACLs decide what it may see. */
export class AnonymousRequest implements Authentication {
  readonly principal: Principal;

  constructor(
    account: string,
    readonly headers: HeaderMap,
    private readonly digests: DigestFactory,
  ) {
    this.principal = { accessKey: '', account, role: 'anonymous' };
  }

  openPayload(body: RequestBody, options: PayloadOptions = {}): Payload {
    const mode = literalPayloadMode(UNSIGNED_PAYLOAD);
    const plan = planPayload(mode, this.headers, body.contentLength, options);
    return new VerifiedPayload(body, plan, undefined, this.digests);
  }
}

const V4_SCHEME = `${ALGORITHM} `;

/** The way a request is signed; `none` when it does not claim to be. */
type Mechanism = 'v4-header' | 'v4-query' | 'v2-header' | 'v2-query' | 'none';

/**
 * Anything that looks like a signature makes a request a signed one: a broken or stripped one must
 * not pass for an anonymous one.
 * @throws S3Error InvalidArgument (two mechanisms at once, an unknown one), InvalidRequest (SigV4A)
 */
export function mechanismOf(headers: HeaderMap, query: readonly QueryParameter[]): Mechanism {
  const authorization = headers.get('authorization');
  if (query.length === 0) {
    return authorization === undefined ? 'none' : mechanismOfHeader(authorization);
  }
  const v4 = isPresigned(query);
  const v2 = isPresignedV2(query);
  if ((v4 && v2) || (authorization !== undefined && (v4 || v2))) {
    throw new S3Error(
      'InvalidArgument',
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
      { ArgumentName: 'Authorization' },
    );
  }
  if (authorization !== undefined) return mechanismOfHeader(authorization);
  if (v4) return 'v4-query';
  return v2 ? 'v2-query' : 'none';
}

function mechanismOfHeader(authorization: string): Mechanism {
  if (authorization.startsWith(V4_SCHEME)) return 'v4-header';
  const scheme = authorization.split(' ', 1)[0];
  if (scheme === ALGORITHM) return 'v4-header';
  if (scheme === 'AWS') return 'v2-header';
  if (scheme === 'AWS4-ECDSA-P256-SHA256') {
    throw new S3Error(
      'InvalidRequest',
      `The authorization mechanism you have provided is not supported. Please use ${ALGORITHM}.`,
    );
  }
  // AWS repeats the header's value here; it may be a secret token, and is left out.
  throw new S3Error('InvalidArgument', 'Unsupported Authorization Type', {
    ArgumentName: 'Authorization',
  });
}
