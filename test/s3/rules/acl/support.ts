import {
  groupGrant,
  userGrant,
  type Acl,
  type Grant,
  type Permission,
} from '../../../../src/s3/rules/acl/acl.js';
import type { Requester } from '../../../../src/s3/rules/acl/requester.js';

export const OWNER = 'test:owner';

/** Grants in short: `'AllUsers READ'`, `'test:bob FULL_CONTROL'`. */
export function acl(...grants: readonly string[]): Acl {
  return { owner: OWNER, grants: grants.map(grantOf) };
}

function grantOf(text: string): Grant {
  const [name = '', permission] = text.split(' ') as [string?, Permission?];
  if (permission === undefined) throw new Error(`no permission in ${text}`);
  if (name === 'AllUsers' || name === 'AuthenticatedUsers' || name === 'LogDelivery') {
    return groupGrant(name, permission);
  }
  return userGrant(name, permission);
}

/** The inverse of {@link acl}. */
export function inShort({ grants }: Acl): string[] {
  return grants.map(({ grantee, permission }) => {
    return `${grantee.kind === 'user' ? grantee.id : grantee.group} ${permission}`;
  });
}

export function member(id: string): Requester {
  return { kind: 'user', id, role: 'member' };
}
