import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../server/api-error.js';
import { audited, needRight, type Act } from '../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { hasRight } from '../../server/rights.js';
import type { Session } from '../../server/sessions.js';
import type { Place } from './copy-object.js';
import { s3BucketOf } from './s3/s3-bucket.js';
import { s3WriteEffect } from './s3/s3-objects.js';
import { versioningOf } from './versioning.js';

/**
 * The effect of a write on the existing object:
 *
 *     creates    nothing is there
 *     keeps      the store keeps it as a version
 *     destroys   it is gone for good, or that is unknown
 */
export type WriteEffect = 'creates' | 'keeps' | 'destroys';

/** @throws SwiftStatusError; UpstreamError */
export async function writeEffect(
  session: Pick<Session, 'store' | 's3'>,
  { container, object }: Place,
): Promise<WriteEffect> {
  const { store } = session;
  const bucket = await s3BucketOf(session, container);
  if (bucket !== undefined) return s3WriteEffect(bucket, object);
  const query = { symlink: 'get' };
  const found = await store.do([200, 204, 403, 404], 'HEAD', { container, object, query });
  if (found.status === 404) return 'creates';
  const { status, headers } = await store.do([200, 204, 403, 404], 'HEAD', { container });
  return status < 300 && versioningOf(headers).active ? 'keeps' : 'destroys';
}

const REFUSED =
  'Replacing an object permanently deletes its former content. Your role does not allow this: move it to the trash first.';

/**
 * Refuses to replace an object if the user's role may not delete for good, unless the store keeps a
 * version of it.
 * @throws ApiError forbidden
 */
export async function mayReplace(
  request: Pick<FastifyRequest, 'session'>,
  place: Place,
): Promise<WriteEffect> {
  const session = sessionOf(request);
  const { user } = session;
  const effect = await writeEffect(session, place);
  if (effect !== 'destroys' || hasRight(user.role, 'manage')) return effect;
  throw new ApiError('forbidden', REFUSED);
}

/**
 * Writes under a name that may be taken, as its user asked for; what replaces an object is written
 * down.
 * @param write told whether nothing may be there: who may not replace must not be overtaken either
 * @throws ApiError forbidden, exists; what `write` throws
 */
export async function replacing<T>(
  context: Pick<ConsoleContext, 'audit' | 'logger'>,
  request: FastifyRequest,
  { container, object }: Place,
  write: (onlyIfAbsent: boolean) => Promise<T>,
): Promise<T> {
  const act: Act = { action: 'files.overwrite', target: `${container}/${object}` };
  const session = sessionOf(request);
  const { user } = session;
  const effect = await writeEffect(session, { container, object });
  const mayDestroy = hasRight(user.role, 'manage');
  if (effect === 'creates') return write(!mayDestroy);
  if (effect === 'destroys') await needRight(context, request, 'manage', act, REFUSED);
  return audited(context, request, { ...act, details: { keeps_version: effect === 'keeps' } }, () =>
    write(false),
  );
}
