import type { Metadata } from '../../../backend/backend.js';
import { storedObjectLock } from '../../bucket-object-lock.js';
import type { RequestContext } from '../../operation.js';
import { locksOfNewVersion } from '../../rules/object-lock/new-version.js';
import { S3Error } from '../../s3-error.js';

const PREFIX = 'x-amz-object-lock-';

/**
 * The locks that a new object begins with, as system metadata: what the headers say, and the bucket's
 * default. To be called before a body is read.
 *
 * @throws S3Error as locksOfNewVersion; `AccessDenied` for locks that somebody asks for who may only
 *   write: AWS grants PutObjectRetention by no ACL
 */
export async function requestedLocks(context: RequestContext): Promise<Metadata> {
  const { headers, principal, services } = context;
  const { systemMetadata } = await context.containerHead();
  const configuration = storedObjectLock(systemMetadata);
  if (principal.role !== 'owner' && asksForLocks(context)) throw new S3Error('AccessDenied');
  const { clock } = services;
  return locksOfNewVersion({ headers, configuration, now: Date.now(), clock: clock.state() });
}

function asksForLocks({ headers }: RequestContext): boolean {
  for (const name of headers.keys()) if (name.startsWith(PREFIX)) return true;
  return false;
}
