import type { KeystoneUser, Principal, Role } from '../../auth/principal.js';

/** The user of a request, as ACLs see it. */
export type Requester =
  | { readonly kind: 'anonymous' }
  /** `id` is the canonical id; `role` is the one in the account that the resource lies in. */
  | {
      readonly kind: 'user';
      readonly id: string;
      readonly role: Role;
      readonly keystone?: KeystoneUser | undefined;
    };

export const ANONYMOUS: Requester = { kind: 'anonymous' };

/** The prefix that Swift puts before the names of accounts (its `reseller_prefix`). */
const RESELLER_PREFIX = 'AUTH_';

/**
 * The id that ACLs know a principal by. Swift's s3api takes the user's name, `account:user` of
 * tempauth or `project:user` of Keystone; so does the gateway, which finds ACLs that s3api wrote
 * and leaves ones that s3api reads. A credential without a user is a user of its own, named after
 * its access key.
 */
export function canonicalId({ user, account, accessKey }: Principal): string {
  return user ?? `${accountName(account)}:${accessKey}`;
}

/** The account as users are named by it. */
export function accountName(account: string): string {
  return account.startsWith(RESELLER_PREFIX) ? account.slice(RESELLER_PREFIX.length) : account;
}

export function requesterOf(principal: Principal): Requester {
  // An unsigned request has an account, but is none of its users.
  if (principal.role === 'anonymous') return ANONYMOUS;
  const { role, keystone } = principal;
  const id = canonicalId(principal);
  return { kind: 'user', id, role, ...(keystone !== undefined && { keystone }) };
}
