import type { HeaderMap, RequestHead } from '../../http/exchange.js';
import { parseQuery, type QueryParameter } from '../../lib/uri.js';

/** Who is asking, once the signature is verified. */
export interface Principal {
  /** Empty for an unsigned request. */
  readonly accessKey: string;
  /** The store's account, e.g. `AUTH_test`. */
  readonly account: string;
  readonly role: Role;
  /** `account:user`, as Swift's auth systems name users; several access keys may be one user's. */
  readonly user?: string | undefined;
  /** Of a user of Keystone. */
  readonly keystone?: KeystoneUser | undefined;
}

/** What Swift's container ACLs know a user of Keystone by, besides the name. */
export interface KeystoneUser {
  readonly projectId: string;
  readonly userId: string;
  /** In that project, in lower case. */
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

/** Where credentials come from; a promise when they have to be fetched. */
export interface CredentialSource {
  find(accessKey: string): Credential | undefined | Promise<Credential | undefined>;
  /** All accounts that credentials belong to, where they are known beforehand; each once. */
  readonly accounts?: readonly string[] | undefined;
  /**
   * Where a service holds the secrets: asked when `find` gives nothing, or a secret that does not
   * fit. Never throws.
   */
  verify?(claim: SignatureToVerify): Promise<Verdict>;
}

/** What a request says of its signature, for whoever holds the secret. */
export interface SignatureToVerify {
  readonly accessKey: string;
  /** What may have been signed, likeliest first. */
  readonly stringsToSign: Iterable<string>;
  readonly signature: string;
  /** Chunks of the body are signed as well: they can be verified with the secret only. */
  readonly needsSecret: boolean;
  /** What `find` gave, when its secret does not fit: another one may be in force by now. */
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
 * Accounts that a request may be for, by what it says of itself. Nothing is verified: this is for
 * CORS alone, which a browser asks for before it shows who it is.
 */

/** Each of them may cost a look at a bucket, for a request that nobody has signed. */
const ACCOUNTS_MAX = 8;

/**
 * The account of the access key that the request names. A preflight names none, unless it is that
 * of a presigned URL: then the anonymous account and those of the roster, in its order.
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
