/** Who is asking, once the signature is verified. */
export interface Principal {
  /** Empty for an unsigned request. */
  readonly accessKey: string;
  /** The store's account, e.g. `AUTH_test`. */
  readonly account: string;
  readonly role: Role;
  /** `account:user`, as Swift's auth systems name users; several access keys may be one user's. */
  readonly user?: string | undefined;
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
}
