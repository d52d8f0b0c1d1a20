/**
 * Access control lists: an owner, and grants of permissions to users and groups.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html
 */

export const PERMISSIONS = ['FULL_CONTROL', 'READ', 'WRITE', 'READ_ACP', 'WRITE_ACP'] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** The predefined groups, by the names that Swift's s3api stores. */
export type GroupName = 'AllUsers' | 'AuthenticatedUsers' | 'LogDelivery';

/** Names of groups on the wire. */
export const GROUP_URIS: Readonly<Record<GroupName, string>> = {
  AllUsers: 'http://acs.amazonaws.com/groups/global/AllUsers',
  AuthenticatedUsers: 'http://acs.amazonaws.com/groups/global/AuthenticatedUsers',
  LogDelivery: 'http://acs.amazonaws.com/groups/s3/LogDelivery',
};

export type Grantee =
  | { readonly kind: 'user'; readonly id: string }
  | { readonly kind: 'group'; readonly group: GroupName };

export interface Grant {
  readonly grantee: Grantee;
  readonly permission: Permission;
}

export interface Acl {
  /** Canonical id of the owner: see requester.ts. */
  readonly owner: string;
  /** At most {@link GRANTS_MAX}, in the order given. */
  readonly grants: readonly Grant[];
}

export type AclResource = 'bucket' | 'object';

/** AWS's limit for one ACL. */
export const GRANTS_MAX = 100;

/** The ACL of whatever is created without one: all for the owner, nothing for others. */
export function privateAcl(owner: string): Acl {
  return { owner, grants: [userGrant(owner, 'FULL_CONTROL')] };
}

export function userGrant(id: string, permission: Permission): Grant {
  return { grantee: { kind: 'user', id }, permission };
}

export function groupGrant(group: GroupName, permission: Permission): Grant {
  return { grantee: { kind: 'group', group }, permission };
}

/** Whether the text is the name of a group in stored ACLs; no user can be called so. */
export function isGroupName(text: string): text is GroupName {
  return Object.hasOwn(GROUP_URIS, text);
}

/** @returns undefined for a URI of no group */
export function groupOfUri(uri: string): GroupName | undefined {
  for (const group of Object.keys(GROUP_URIS) as GroupName[]) {
    if (GROUP_URIS[group] === uri) return group;
  }
  return undefined;
}

export function isPermission(text: string): text is Permission {
  return (PERMISSIONS as readonly string[]).includes(text);
}
