import { randomBytes } from 'node:crypto';
import type { DigestFactory } from '../../digest/body-digest.js';
import type { HeaderMap, RequestBody, RequestHead } from '../../http/exchange.js';
import { parseQuery, type QueryParameter } from '../../lib/uri.js';
import { S3Error } from '../errors.js';
import { AnonymousRequest, mechanismOf, type SignedRequest } from './mechanism.js';
import { AuthorizationReader } from './authorization-header.js';
import {
  claimedAccounts,
  type Credential,
  type CredentialSource,
  type Principal,
} from './principal.js';
import type { Payload, PayloadOptions } from './payload-plan.js';
import { readSignedRequestV2 } from './signed-request-v2.js';
import { readSignedRequestV4, type SignatureV4Context } from './signed-request-v4.js';
import { SigningKeys } from './signature-v4.js';

export interface AuthenticatorOptions {
  readonly credentials: CredentialSource;
  /** The one region that signatures of version 4 may name. */
  readonly region: string;
  readonly digests: DigestFactory;
  /**
   * The hosts that a client may have signed, where proxies change `Host`; undefined: the request's
   * own `Host`.
   */
  readonly hosts?: SignedHosts | undefined;
  /**
   * The account that unsigned GET and HEAD act for; without it (or when empty) they are refused.
   */
  readonly anonymousAccount?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly clock?: (() => number) | undefined;
}

/**
 * The hosts that a client may have signed, likeliest first. Each of them must name the very bucket
 * that the request was read with, or else what was signed for one could be used on another.
 */
export type SignedHosts = (request: RequestHead, hostBucket: string) => readonly string[];

export interface Authenticator {
  /**
   * Verifies the request's signature, of version 4 or 2; the body's, if it has one, is verified by
   * the payload. The result is a promise only if the credential has to be fetched.
   * @param query the request's, when it has been parsed already
   * @param hostBucket the bucket that the host name has; empty for path style
   * @throws S3Error with AWS's code for whatever is wrong; `AccessDenied` for an unsigned request
   *   that is not for the anonymous account (SPEC.md 5.2)
   */
  authenticate(
    request: RequestHead,
    query?: readonly QueryParameter[],
    hostBucket?: string,
  ): Authentication | Promise<Authentication>;

  /** Accounts that a request may be for, before or without a verified signature. */
  claimedAccounts(request: RequestHead): Promise<readonly string[]>;
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
  return new RequestAuthenticator(options);
}

class RequestAuthenticator implements Authenticator {
  readonly #clock: () => number;
  readonly #v4: SignatureV4Context;
  /** Signs for access keys that do not exist, so that they cost the time of those that do. */
  readonly #nobodysSecret = randomBytes(32).toString('hex');

  constructor(private readonly options: AuthenticatorOptions) {
    this.#clock = options.clock ?? Date.now;
    const { region, digests } = options;
    this.#v4 = {
      region,
      digests,
      reader: new AuthorizationReader(region),
      keys: new SigningKeys(),
    };
  }

  authenticate(
    request: RequestHead,
    query = parseQuery(request.rawQuery),
    hostBucket = '',
  ): Authentication | Promise<Authentication> {
    if (query === undefined) throw new S3Error('InvalidURI');
    const signed = this.#read(request, query, hostBucket);
    if (signed === undefined) return this.#anonymous(request);
    const { credentials } = this.options;
    const found = credentials.find(signed.accessKey);
    if (credentials.verify !== undefined) return this.#verifyElsewhere(signed, found);
    return found instanceof Promise
      ? found.then((credential) => this.#verify(signed, credential))
      : this.#verify(signed, found);
  }

  claimedAccounts(request: RequestHead): Promise<readonly string[]> {
    const { credentials, anonymousAccount = '' } = this.options;
    return claimedAccounts(request, credentials, anonymousAccount);
  }

  /** @returns undefined when the request does not claim to be signed */
  #read(
    request: RequestHead,
    query: readonly QueryParameter[],
    hostBucket: string,
  ): SignedRequest | undefined {
    const mechanism = mechanismOf(request.headers, query);
    if (mechanism === 'none') return undefined;
    const now = this.#clock();
    const inHeader = mechanism === 'v4-header' || mechanism === 'v2-header';
    const authorization = inHeader ? request.headers.get('authorization') : undefined;
    if (mechanism === 'v2-header' || mechanism === 'v2-query') {
      const { digests } = this.options;
      return readSignedRequestV2(request, query, authorization, hostBucket, digests, now);
    }
    const hosts = this.options.hosts?.(request, hostBucket);
    return readSignedRequestV4(request, query, authorization, hosts, this.#v4, now);
  }

  #verify(signed: SignedRequest, credential: Credential | undefined): Authentication {
    const secretKey = credential?.secretKey ?? this.#nobodysSecret;
    const genuine = signed.isSignedWith(secretKey, credential !== undefined);
    if (credential === undefined) throw unknownKey(signed);
    if (!genuine) throw signed.mismatch();
    return verified(principalOf(credential), signed);
  }

  /** Verifies by the secret if it is known here, otherwise by the service that has it. */
  async #verifyElsewhere(
    signed: SignedRequest,
    found: ReturnType<CredentialSource['find']>,
  ): Promise<Authentication> {
    const credential = await found;
    if (credential !== undefined && signed.isSignedWith(credential.secretKey, true)) {
      return verified(principalOf(credential), signed);
    }
    const verdict = await this.options.credentials.verify?.({
      accessKey: signed.accessKey,
      stringsToSign: signed.stringsToSign(),
      signature: signed.signature,
      needsSecret: signed.signsChunks,
      refuted: credential,
    });
    switch (verdict?.outcome) {
      case 'genuine':
        return verified(verdict.principal, signed);
      case 'secret':
        return this.#verify(signed, verdict.credential);
      case 'wrong':
        throw signed.mismatch();
      case 'unavailable':
        throw new S3Error('ServiceUnavailable');
      case 'unknown':
      case undefined:
        throw unknownKey(signed);
    }
  }

  /** SPEC.md 5.2: reads are the anonymous account's, where there is one; all else is refused. */
  #anonymous(request: RequestHead): Authentication {
    const account = this.options.anonymousAccount ?? '';
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (account === '' || !reads) throw new S3Error('AccessDenied');
    return new AnonymousRequest(account, request.headers, this.options.digests);
  }
}

function unknownKey({ accessKey }: SignedRequest): S3Error {
  return new S3Error('InvalidAccessKeyId', undefined, { AWSAccessKeyId: accessKey });
}

/** @throws S3Error InvalidToken */
function verified(principal: Principal, signed: SignedRequest): Authentication {
  // A token would belong to temporary credentials; nothing issues them, so that it is not ours.
  if (signed.securityToken !== undefined) throw new S3Error('InvalidToken');
  return new VerifiedRequest(principal, signed);
}

/** One for each credential, so that what follows from a principal can be kept with it. */
const PRINCIPALS = new WeakMap<Credential, Principal>();

/** The principal without the secret, which no later code needs. */
function principalOf(credential: Credential): Principal {
  let principal = PRINCIPALS.get(credential);
  if (principal === undefined) {
    const { accessKey, account, role, user, keystone } = credential;
    principal = {
      accessKey,
      account,
      role,
      ...(user !== undefined && { user }),
      ...(keystone !== undefined && { keystone }),
    };
    PRINCIPALS.set(credential, principal);
  }
  return principal;
}

/** Keeps what the payload needs; one per request, so that opening a payload is all that costs. */
class VerifiedRequest implements Authentication {
  constructor(
    readonly principal: Principal,
    private readonly signed: SignedRequest,
  ) {}

  get headers(): HeaderMap {
    return this.signed.headers;
  }

  openPayload(body: RequestBody, options: PayloadOptions = {}): Payload {
    return this.signed.openPayload(body, options);
  }
}
