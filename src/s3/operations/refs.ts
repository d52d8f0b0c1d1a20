import type { ContainerRef, ObjectRef } from '../../backend/backend.js';
import type { RequestContext } from '../operation.js';
import { accountName, canonicalId } from '../rules/acl/requester.js';
import { userOwner, type Owner } from '../xml/owner.js';

/** Where a request's bucket lies: buckets are containers of the signer's account. */
export function containerOf({ principal, endpoint }: RequestContext): ContainerRef {
  return { account: principal.account, container: endpoint.bucket };
}

export function objectOf({ principal, endpoint }: RequestContext): ObjectRef {
  return { account: principal.account, container: endpoint.bucket, object: endpoint.key };
}

/**
 * Who owns what a request lists, where that has no ACL of its own: to an owner of the account all of it is its own, under the id that
 * it is granted things by, as AWS's users look theirs up in ListBuckets. Others see the account.
 */
export function ownerOf({ principal }: RequestContext): Owner {
  return userOwner(
    principal.role === 'owner' ? canonicalId(principal) : accountName(principal.account),
  );
}
