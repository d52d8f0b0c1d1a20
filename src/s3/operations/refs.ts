import type { ContainerRef, ObjectRef } from '../../backend/backend.js';
import type { RequestContext } from '../operation.js';
import type { Owner } from '../xml/owner.js';

/** Where a request's bucket lies: buckets are containers of the signer's account. */
export function containerOf({ principal, endpoint }: RequestContext): ContainerRef {
  return { account: principal.account, container: endpoint.bucket };
}

export function objectOf({ principal, endpoint }: RequestContext): ObjectRef {
  return { account: principal.account, container: endpoint.bucket, object: endpoint.key };
}

/** Who owns what a request sees: all of an account belongs to the account. */
export function ownerOf({ principal }: RequestContext): Owner {
  return { id: principal.account, displayName: principal.account };
}
