import { groupGrant, type Acl, type Grant, type GroupName, type Permission } from './acl.js';
import {
  aclElements,
  ANY_USER,
  PUBLIC_LISTING,
  PUBLIC_READ,
  type ContainerAcl,
} from './container-acl.js';

/**
 * Between a bucket's ACL and its container's, so that both APIs agree:
 *
 *     READ to AllUsers             read   .r:*,.rlistings   (as s3api; objects become readable)
 *     READ to AuthenticatedUsers   read   *:*
 *     WRITE to either              write  *:*               (Swift has no anonymous writers)
 *
 * Grants to users are not mirrored: in Swift they would open the objects, too. Other elements of
 * the container's ACL belong to its Swift users and stay.
 */

const MIRRORED_READ = [PUBLIC_READ, PUBLIC_LISTING, ANY_USER];
const MIRRORED_WRITE = [ANY_USER];

/** The container's ACL after the bucket's was set. */
export function mirrorInContainer(current: ContainerAcl, acl: Acl): ContainerAcl {
  const read: string[] = [];
  if (grantsTo(acl, 'AllUsers', 'READ')) read.push(PUBLIC_READ, PUBLIC_LISTING);
  if (grantsTo(acl, 'AuthenticatedUsers', 'READ')) read.push(ANY_USER);
  const anybodyWrites =
    grantsTo(acl, 'AllUsers', 'WRITE') || grantsTo(acl, 'AuthenticatedUsers', 'WRITE');
  return {
    read: replaceMirrored(current.read, MIRRORED_READ, read),
    write: replaceMirrored(current.write, MIRRORED_WRITE, anybodyWrites ? [ANY_USER] : []),
  };
}

/**
 * The bucket's ACL as its container's has it by now: a Swift user may have opened or closed the
 * container since the bucket's ACL was set, and what is public is what Swift makes public.
 */
export function reconcileWithContainer(acl: Acl, container: ContainerAcl): Acl {
  const open = opennessOf(container);
  const grants = acl.grants.flatMap((grant) => keptPart(grant, open));
  return addFromContainer({ owner: acl.owner, grants }, container);
}

/** The groups to which a container is open, as far as a bucket's ACL can express it. */
type Openness = Readonly<Record<GroupName, { readonly READ: boolean; readonly WRITE: boolean }>>;

function opennessOf(container: ContainerAcl): Openness {
  const read = aclElements(container.read);
  const anybodyWrites = aclElements(container.write).includes(ANY_USER);
  return {
    AllUsers: {
      READ: read.includes(PUBLIC_READ) && read.includes(PUBLIC_LISTING),
      WRITE: anybodyWrites,
    },
    AuthenticatedUsers: { READ: read.includes(ANY_USER), WRITE: anybodyWrites },
    LogDelivery: { READ: true, WRITE: true },
  };
}

/** The bucket's ACL, with what its container's opens beyond it. */
export function addFromContainer(acl: Acl, container: ContainerAcl): Acl {
  const open = opennessOf(container);
  const added: Grant[] = [];
  if (open.AllUsers.READ) added.push(groupGrant('AllUsers', 'READ'));
  if (open.AuthenticatedUsers.READ) added.push(groupGrant('AuthenticatedUsers', 'READ'));
  // Swift's any user is an authenticated one, unless the bucket says more.
  if (open.AuthenticatedUsers.WRITE && !grantsTo(acl, 'AllUsers', 'WRITE')) {
    added.push(groupGrant('AuthenticatedUsers', 'WRITE'));
  }
  return {
    owner: acl.owner,
    grants: [...acl.grants, ...added.filter((grant) => isMissing(grant, acl.grants))],
  };
}

/** The rest of a grant; FULL_CONTROL falls apart when a part of it is gone. */
function keptPart(grant: Grant, open: Openness): Grant[] {
  if (grant.grantee.kind === 'user') return [grant];
  const { group } = grant.grantee;
  const { READ, WRITE } = open[group];
  switch (grant.permission) {
    case 'READ':
      return READ ? [grant] : [];
    case 'WRITE':
      return WRITE ? [grant] : [];
    case 'FULL_CONTROL': {
      if (READ && WRITE) return [grant];
      const parts: Permission[] = ['READ_ACP', 'WRITE_ACP'];
      if (READ) parts.push('READ');
      if (WRITE) parts.push('WRITE');
      return parts.map((permission) => groupGrant(group, permission));
    }
    default:
      return [grant];
  }
}

function isMissing({ grantee, permission }: Grant, grants: readonly Grant[]): boolean {
  return grantee.kind === 'group' && !hasGrant(grants, grantee.group, permission);
}

function grantsTo(acl: Acl, group: GroupName, permission: Permission): boolean {
  return hasGrant(acl.grants, group, permission);
}

function hasGrant(grants: readonly Grant[], group: GroupName, permission: Permission): boolean {
  return grants.some(
    (grant) =>
      grant.grantee.kind === 'group' &&
      grant.grantee.group === group &&
      (grant.permission === permission || grant.permission === 'FULL_CONTROL'),
  );
}

function replaceMirrored(
  list: string,
  mirrored: readonly string[],
  wanted: readonly string[],
): string {
  const others = aclElements(list).filter((element) => !mirrored.includes(element));
  return [...wanted, ...others].join(',');
}
