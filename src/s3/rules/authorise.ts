import type { RequestContext } from '../operation.js';
import { S3Error } from '../s3-error.js';

/** Whether ACLs grant a request to somebody who is not an owner of the account. */
export type AccessCheck = (context: RequestContext) => boolean | Promise<boolean>;

/** While there are no ACLs. */
export const NOTHING_GRANTED: AccessCheck = () => false;

/**
 * Whether the principal may do what it asks for: an owner may do everything in its account, a
 * member and an anonymous reader what ACLs grant. No ACL can grant an anonymous `GET /`: the names
 * of an account's buckets are nobody else's (SPEC.md 5.2 leaves it to the S3 form, which is signed).
 *
 * @returns a promise only where ACLs have to be asked, so that an owner's request waits for nothing
 * @throws S3Error `AccessDenied`
 */
export function authorise(
  context: RequestContext,
  granted: AccessCheck,
): undefined | Promise<void> {
  const { principal, endpoint } = context;
  if (principal.role === 'owner') return undefined;
  if (principal.role === 'anonymous' && endpoint.resource === 'service') {
    throw new S3Error('AccessDenied');
  }
  return requireGrant(granted(context));
}

async function requireGrant(granted: boolean | Promise<boolean>): Promise<void> {
  if (!(await granted)) throw new S3Error('AccessDenied');
}
