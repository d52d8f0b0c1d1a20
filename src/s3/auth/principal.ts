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
