import type { HeaderMap } from '../../../http/exchange.js';
import { S3Error } from '../../errors.js';
import { privateAcl, type Acl, type AclResource } from './acl.js';
import { CANNED_ACL_HEADER, cannedAcl, type Owners } from './canned.js';
import { GRANT_HEADER_PREFIX, parseGrantHeaders } from './grant-headers.js';

/** The ACL that a request wants: by name, by grants in headers, or by document. */

/**
 * The ACL of a request that creates a bucket or an object: private unless headers say otherwise.
 *
 * @throws S3Error as {@link aclOfHeaders}
 */
export function aclOfNew(headers: HeaderMap, resource: AclResource, owners: Owners): Acl {
  return aclOfHeaders(headers, resource, owners) ?? privateAcl(owners.owner);
}

/**
 * The ACL of a PUT `?acl`, from exactly one of headers and document. The owner stays.
 *
 * @param document - what the body says; undefined for an empty one
 * @throws S3Error `UnexpectedContent` for both, `MissingSecurityHeader` for neither, `AccessDenied`
 *   for a document with another owner, and as {@link aclOfHeaders}
 */
export function aclOfPut(
  headers: HeaderMap,
  document: Acl | undefined,
  resource: AclResource,
  owners: Owners,
): Acl {
  const fromHeaders = aclOfHeaders(headers, resource, owners);
  if (fromHeaders !== undefined) {
    if (document !== undefined) throw new S3Error('UnexpectedContent');
    return fromHeaders;
  }
  if (document === undefined) {
    throw new S3Error('MissingSecurityHeader', undefined, { MissingHeaderName: CANNED_ACL_HEADER });
  }
  if (document.owner !== owners.owner) throw new S3Error('AccessDenied');
  return document;
}

/**
 * @returns undefined when no header speaks of ACLs
 * @throws S3Error `InvalidRequest` for a canned ACL together with grants, and as
 *   {@link cannedAcl} and {@link parseGrantHeaders}
 */
export function aclOfHeaders(
  headers: HeaderMap,
  resource: AclResource,
  owners: Owners,
): Acl | undefined {
  const canned = headers.get(CANNED_ACL_HEADER);
  const grants = parseGrantHeaders(headers);
  if (canned === undefined) {
    return grants.length === 0 ? undefined : { owner: owners.owner, grants };
  }
  if (grants.length > 0) {
    throw new S3Error(
      'InvalidRequest',
      'Specifying both Canned ACLs and Header Grants is not allowed',
    );
  }
  return cannedAcl(canned, resource, owners);
}

/** Whether any header speaks of ACLs. */
export function asksForAcl(headers: HeaderMap): boolean {
  if (headers.has(CANNED_ACL_HEADER)) return true;
  for (const name of headers.keys()) {
    if (name.startsWith(GRANT_HEADER_PREFIX)) return true;
  }
  return false;
}

/** Whether it matters who owns the bucket of the object. */
export function grantsToBucketOwner(headers: HeaderMap): boolean {
  return headers.get(CANNED_ACL_HEADER)?.startsWith('bucket-owner-') === true;
}
