import type { Principal } from '../auth/principal.js';
import { S3Error } from '../s3-error.js';

/**
 * Whether a principal may do what it asks for, as far as its role decides: an owner may do
 * everything in its account. A member may do what ACLs grant it, and nothing grants anything yet.
 *
 * @throws S3Error `AccessDenied`
 */
export function authorise(principal: Principal): void {
  if (principal.role !== 'owner') throw new S3Error('AccessDenied');
}
