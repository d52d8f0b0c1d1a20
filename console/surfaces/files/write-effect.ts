import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../server/api-error.js';
import { audited, needRight, type Act } from '../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { S3StatusError } from '../../s3/errors.js';
import { hasRight } from '../../server/rights.js';
import type { Session } from '../../server/sessions.js';
import { SwiftStatusError } from '../../swift/errors.js';
import type { Place } from './copy-object.js';
import { s3BucketOf, type S3Bucket } from './s3/s3-bucket.js';
import { s3Target } from './s3/s3-objects.js';
import { versioningOf } from './versioning.js';

/**
 * The effect of a write on the existing object:
 *
 *     creates    nothing is there
 *     keeps      the store keeps it as a version
 *     destroys   it is gone for good, or that is unknown
 */
type WriteEffect = 'creates' | 'keeps' | 'destroys';

/** The object under a name, and the effect of a write there. */
export interface Target {
  readonly effect: WriteEffect;
  /** The ETag of what is current: empty where the store does not tell it, undefined for nothing. */
  readonly etag: string | undefined;
}

/** The object is looked at last: what follows comes right behind that. @throws SwiftStatusError; UpstreamError */
export async function lookAtTarget(
  { store }: Pick<Session, 'store'>,
  { container, object }: Place,
  bucket: S3Bucket | undefined,
): Promise<Target> {
  if (bucket !== undefined) return s3Target(bucket, object);
  const { status, headers } = await store.do([200, 204, 403, 404], 'HEAD', { container });
  const keeps = status < 300 && versioningOf(headers).active;
  const query = { symlink: 'get' };
  const found = await store.do([200, 204, 403, 404], 'HEAD', { container, object, query });
  if (found.status === 404) return { effect: 'creates', etag: undefined };
  const etag = (found.headers.etag ?? '').replaceAll('"', '');
  return { effect: keeps ? 'keeps' : 'destroys', etag };
}

export const REFUSED =
  'Replacing an object permanently deletes its current content, which your role does not allow. Move the object to the trash first.';

/**
 * Refuses to replace an object if the user's role may not delete for good, unless the store keeps a
 * version of it.
 * @throws ApiError forbidden
 */
export function expectMayReplace({ user }: Pick<Session, 'user'>, { effect }: Target): void {
  if (effect === 'destroys' && !hasRight(user.role, 'manage')) {
    throw new ApiError('forbidden', REFUSED);
  }
}

/**
 * Writes under a name that may be taken, as its user asked for; what replaces an object is written
 * down.
 * @param write told whether nothing may be there: where nothing was, nothing is replaced unseen
 * @param isRepeatable whether it may be called again, where another client was faster
 * @throws ApiError forbidden, exists; what `write` throws
 */
export async function replacing<T>(
  context: Pick<ConsoleContext, 'audit' | 'logger'>,
  request: FastifyRequest,
  { container, object }: Place,
  write: (onlyIfAbsent: boolean) => Promise<T>,
  isRepeatable = false,
): Promise<T> {
  const act: Act = { action: 'files.overwrite', target: `${container}/${object}` };
  const session = sessionOf(request);
  const look = async () =>
    lookAtTarget(session, { container, object }, await s3BucketOf(session, container));
  let { effect } = await look();
  if (effect === 'creates') {
    try {
      return await write(true);
    } catch (error) {
      if (!isRepeatable || !isOvertaken(error)) throw error;
      ({ effect } = await look());
    }
  }
  if (effect === 'destroys') await needRight(context, request, 'manage', act, REFUSED);
  return audited(context, request, { ...act, details: { keeps_version: effect === 'keeps' } }, () =>
    write(false),
  );
}

/** Whether a condition did not hold: another client has written meanwhile. */
export function isOvertaken(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'exists';
  return (
    (error instanceof SwiftStatusError || error instanceof S3StatusError) && error.status === 412
  );
}
