import type { ContainerHead, Metadata } from '../../backend/backend.js';
import { S3Error } from '../errors.js';
import type { RequestContext } from '../operation.js';
import { collectDocument } from '../request/request-document.js';
import { privateAcl, type Acl } from '../rules/acl/acl.js';
import { bucketAcl } from '../rules/acl/bucket-acl.js';
import { aclOfNew, asksForAcl, grantsToBucketOwner } from '../rules/acl/request.js';
import { canonicalId } from '../rules/acl/requester.js';
import { ACL_METADATA, decodeAcl, encodeAcl } from '../rules/acl/stored.js';

/**
 * ACLs between requests and system metadata.
 *
 * A private resource of an account's owner has no stored ACL. These are nearly all, so that ACLs
 * cost nothing there. Only owners see such a resource, and each of them owns it.
 */

/** @throws S3Error `InternalError` when what is stored cannot be read */
export function aclOf({ principal }: RequestContext, systemMetadata: Metadata): Acl {
  return decodeAcl(systemMetadata[ACL_METADATA]) ?? privateAcl(canonicalId(principal));
}

/** The same of a bucket: what the container's own ACL makes of it counts. */
export function bucketAclOf(context: RequestContext, head: ContainerHead): Acl {
  return bucketAcl(head, privateAcl(canonicalId(context.principal)));
}

/**
 * The ACL that the headers of a new object ask for, as system metadata; undefined when none is to
 * be stored. Every operation that makes an object calls it before the body is read.
 *
 * @param name - `UPLOAD_ACL_METADATA` while the object does not exist yet
 * @throws S3Error as `aclOfNew`; BackendError NoSuchContainer
 */
export function requestedObjectAcl(
  context: RequestContext,
  name: string = ACL_METADATA,
): Metadata | undefined | Promise<Metadata | undefined> {
  const { principal, headers } = context;
  if (principal.role === 'owner' && !asksForAcl(headers)) return undefined;
  return readRequested(context, name);
}

async function readRequested(context: RequestContext, name: string): Promise<Metadata | undefined> {
  const { principal, headers } = context;
  const owner = canonicalId(principal);
  const bucketOwner = await bucketOwnerFor(context, owner);
  const acl = aclOfNew(headers, 'object', { owner, bucketOwner });
  if (principal.role === 'owner' && isPrivate(acl)) return undefined;
  return { [name]: encodeAcl(acl) };
}

/**
 * The document of PUT `?acl`; undefined for an empty body. With ACL headers a body is refused, and
 * not read.
 * @throws S3Error `UnexpectedContent`, `MalformedACLError`, and as `collectDocument`
 */
export async function aclDocument(context: RequestContext): Promise<Acl | undefined> {
  const body = await collectDocument(context, 'AccessControlPolicy', { bodyOptional: true });
  if (body.length === 0) return undefined;
  if (asksForAcl(context.headers)) throw new S3Error('UnexpectedContent');
  return context.services.documents.parse('AccessControlPolicy', body);
}

/**
 * The bucket's owner, looked up only for an ACL that grants something to it.
 *
 * @param owner - the object's, which is also returned as the bucket's if the two need not be told
 *   apart. A bucket without an ACL belongs to the owners of the account, who need no grant.
 */
export async function bucketOwnerFor(context: RequestContext, owner: string): Promise<string> {
  if (!grantsToBucketOwner(context.headers)) return owner;
  const { systemMetadata } = await context.containerHead();
  return decodeAcl(systemMetadata[ACL_METADATA])?.owner ?? owner;
}

/** Whether it is the ACL of whatever is created without one. */
export function isPrivate({ owner, grants }: Acl): boolean {
  const [grant] = grants;
  return (
    grants.length === 1 &&
    grant?.permission === 'FULL_CONTROL' &&
    grant.grantee.kind === 'user' &&
    grant.grantee.id === owner
  );
}
