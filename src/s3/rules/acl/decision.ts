import type { Acl, Grantee, Permission } from './acl.js';
import type { Requester } from './requester.js';

/** The access that an operation needs: a permission, or to be the resource's owner. */
export type Access = Exclude<Permission, 'FULL_CONTROL'> | 'OWNER';

/**
 * The access that an operation needs, and to which resource. `account`: the role `owner` in the
 * account, which no grant gives. `source` is the object that a copy reads.
 */
export interface Requirement {
  readonly resource: 'account' | 'bucket' | 'object' | 'source';
  readonly access: Access;
}

/**
 * Whether the ACL lets the requester.
 *
 * The account's owners may do everything in it, and a resource's owner everything with it, whatever
 * its grants say. (AWS lets an owner without grants only read and write the ACL. Swift's s3api
 * gives it full control, and data must not differ by the gateway that serves it.)
 */
export function isAllowed(acl: Acl, requester: Requester, access: Access): boolean {
  if (requester.kind === 'user') {
    if (requester.role === 'owner' || requester.id === acl.owner) return true;
  }
  if (access === 'OWNER') return false;
  return acl.grants.some(
    ({ grantee, permission }) =>
      (permission === access || permission === 'FULL_CONTROL') && includes(grantee, requester),
  );
}

/** Whether the grantee is the requester, or a group it belongs to. */
function includes(grantee: Grantee, requester: Requester): boolean {
  if (grantee.kind === 'user') return requester.kind === 'user' && requester.id === grantee.id;
  switch (grantee.group) {
    case 'AllUsers':
      return true;
    case 'AuthenticatedUsers':
      return requester.kind === 'user';
    case 'LogDelivery':
      // The service delivers no access logs: this group has no members.
      return false;
  }
}
