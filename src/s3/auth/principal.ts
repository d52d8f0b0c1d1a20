import type { HeaderMap, RequestHead } from '../../http/exchange.js';
import { parseQuery, type QueryParameter } from '../../lib/uri.js';

/** The user of a request, once the signature is verified. */
export interface Principal {
  /** Empty for an unsigned request. */
  readonly accessKey: string;
  /** The store's account, e.g. `AUTH_test`. */
  readonly account: string;
  readonly role: Role;
  /** `account:user`, as Swift's auth systems name users; several access keys may be one user's. */
  readonly user?: string | undefined;
  /** The user in Keystone; undefined for other users. */
  readonly keystone?: KeystoneUser | undefined;
}

/** The ids and roles that Swift's container ACLs know a user of Keystone by, besides the name. */
export interface KeystoneUser {
  readonly projectId: string;
  readonly userId: string;
  /** The roles in that project, in lower case. */
  readonly roles: readonly string[];
}

/**
 * `owner` may do everything in the account, `member` what ACLs grant, and `anonymous`, which is an
 * unsigned request, what ACLs grant to everybody.
 */
export type Role = 'owner' | 'member' | 'anonymous';

export interface Credential extends Principal {
  readonly secretKey: string;
}

/** A source of credentials; the result is a promise if they have to be fetched. */
export interface CredentialSource {
  find(accessKey: string): Credential | undefined | Promise<Credential | undefined>;
  /** All accounts that credentials belong to, where they are known beforehand; each once. */
  readonly accounts?: readonly string[] | undefined;
  /**
   * Verifies a signature by a service that holds the secrets; called when `find` has no secret, or
   * one that does not fit. Never throws.
   */
  verify?(claim: SignatureToVerify): Promise<Verdict>;
}

/** The signature of a request with what it covers, for the service that holds the secret. */
export interface SignatureToVerify {
  readonly accessKey: string;
  /** The strings that may have been signed, likeliest first. */
  readonly stringsToSign: Iterable<string>;
  readonly signature: string;
  /** Chunks of the body are signed as well: they can be verified with the secret only. */
  readonly needsSecret: boolean;
  /** The result of `find` when its secret does not fit: another one may be in force by now. */
  readonly refuted: Credential | undefined;
}

export type Verdict =
  /** The service has verified it, and keeps the secret. */
  | { readonly outcome: 'genuine'; readonly principal: Principal }
  /** The secret is known by now: nothing is verified yet. */
  | { readonly outcome: 'secret'; readonly credential: Credential }
  | { readonly outcome: 'unknown' | 'wrong' | 'unavailable' };

/** Credentials from a list, such as the credentials file, that may be replaced by another. */
export class RosterCredentials implements CredentialSource {
  #byAccessKey: ReadonlyMap<string, Credential> = new Map();
  #accounts: readonly string[] = [];

  constructor(roster: readonly Credential[]) {
    this.replace(roster);
  }

  replace(roster: readonly Credential[]): void {
    this.#byAccessKey = new Map(roster.map((credential) => [credential.accessKey, credential]));
    this.#accounts = [...new Set(roster.map(({ account }) => account))];
  }

  get accounts(): readonly string[] {
    return this.#accounts;
  }

  find(accessKey: string): Credential | undefined {
    return this.#byAccessKey.get(accessKey);
  }
}

/**
 * The limit of accounts: each may cost a lookup of a bucket, for a request without a verified
 * signature.
 */
const ACCOUNTS_MAX = 8;

/**
 * The account of the access key that the request names. A preflight names none, unless it is that
 * of a presigned URL: then the anonymous account and those of the roster, in its order.
 *
 * Accounts that a request may be for, by what it says of itself. Nothing is verified: this is for
 * CORS alone, which a browser asks for before it shows who it is.
 */
export async function claimedAccounts(
  { headers, rawQuery }: RequestHead,
  credentials: CredentialSource,
  anonymousAccount: string,
): Promise<readonly string[]> {
  const accessKey = claimedAccessKey(headers, parseQuery(rawQuery) ?? []);
  const credential = accessKey === undefined ? undefined : await credentials.find(accessKey);
  if (credential !== undefined) return [credential.account];
  const all = new Set(credentials.accounts);
  const candidates = anonymousAccount === '' ? all : new Set([anonymousAccount, ...all]);
  return [...candidates].slice(0, ACCOUNTS_MAX);
}

const HEADER_V4 = /Credential=([^,\s]+?)\/\d{8}\//;
/** Up to the last colon: access keys of Swift have one, and base64 has none. */
const HEADER_V2 = /^AWS (\S+):/;
const QUERY_V4 = /^(.+?)\/\d{8}\//;

function claimedAccessKey(
  headers: HeaderMap,
  query: readonly QueryParameter[],
): string | undefined {
  const authorization = headers.get('authorization');
  if (authorization !== undefined) {
    return (HEADER_V4.exec(authorization) ?? HEADER_V2.exec(authorization))?.[1];
  }
  for (const { name, value } of query) {
    if (name === 'X-Amz-Credential') return QUERY_V4.exec(value ?? '')?.[1];
    if (name === 'AWSAccessKeyId') return value;
  }
  return undefined;
}
