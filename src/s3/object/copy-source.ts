import type { ObjectHead, ObjectRef } from '../../backend/backend.js';
import { BackendError, type BackendErrorCode } from '../../backend/errors.js';
import type { HeaderList } from '../../http/exchange.js';
import type { MaybePromise } from '../../lib/promises.js';
import { nullVersionHeader } from '../bucket/lifecycles.js';
import { S3Error } from '../errors.js';
import type { RequestContext } from '../operation.js';
import { requireAdmitted } from '../request/authorisation.js';
import { requireCopyConditions } from '../rules/copy-conditions.js';
import { parseCopySource, type CopySource } from '../rules/copy-source.js';
import { hasMoved } from '../versions/first-index.js';
import { isLinkToVersion } from '../versions/names.js';
import { SYSTEM_METADATA, withVersionTime } from './attributes.js';
import { requireReadable } from './object-response.js';

/** The source of CopyObject and UploadPartCopy: an object of the same account. */

/** Looks for a source that moves under them. */
const ATTEMPTS_MAX = 5;

/** A source as it was when its conditions were looked at. */
export interface FoundSource {
  readonly ref: ObjectRef;
  readonly head: ObjectHead;
}

/** @throws S3Error as {@link parseCopySource} */
export function readCopySource({ headers }: RequestContext): CopySource {
  return parseCopySource(headers.get('x-amz-copy-source') ?? '');
}

const SOURCE_VERSION = 'x-amz-copy-source-version-id';

/** The version that was copied, for the answer: `null` of what is from before versioning. */
export function copySourceHeaders(
  context: RequestContext,
  { bucket }: CopySource,
  { systemMetadata }: ObjectHead,
): MaybePromise<HeaderList> {
  const versionId = systemMetadata[SYSTEM_METADATA.versionId];
  if (versionId !== undefined) return [[SOURCE_VERSION, versionId]];
  const { account } = context.principal;
  return nullVersionHeader(context, SOURCE_VERSION, { account, container: bucket });
}

/**
 * The source as it is now, once its conditions hold. A later copy is of that very object only when
 * its ETag goes along as `sourceEtag`.
 *
 * @throws S3Error `NoSuchBucket`, `NoSuchKey` and `NoSuchVersion`, naming the source;
 *   `InvalidRequest` for a delete marker; `PreconditionFailed`; `AccessDenied`
 */
export async function findCopySource(
  context: RequestContext,
  source: CopySource,
  attempt = 1,
): Promise<FoundSource> {
  const { backend } = context.services;
  try {
    const ref = await sourceRef(context, source);
    const head = withVersionTime(await backend.headObject(context.call, ref));
    // The version has moved into the archive, or to its name there, since it was found.
    const { versionId } = source;
    if (versionId !== undefined && (isLinkToVersion(ref, head) || hasMoved(ref, head, versionId))) {
      if (attempt === ATTEMPTS_MAX) throw new S3Error('ServiceUnavailable');
      return await findCopySource(context, source, attempt + 1);
    }
    requireAdmitted(context, ref, head);
    requireCopyConditions(context.headers, head, Date.now());
    requireReadable(context, head);
    // A version does not change; the object at a key does. Any other link is followed by the store,
    // which asks whether the requester may.
    return { ref: isLinkToVersion(ref, head) ? { ...ref, ...head.link?.target } : ref, head };
  } catch (error) {
    const isNamed = source.versionId !== undefined;
    const isBroken = !isNamed && isBackendError(error, 'BrokenLink');
    if (isBroken && attempt < ATTEMPTS_MAX) {
      const { account } = context.principal;
      await context.services.versions.repairLink(context.call, { account, ...source });
    }
    // The same, and the key was deleted since.
    const mayHaveMoved = isBroken || (isNamed && isBackendError(error, 'NoSuchObject'));
    if (mayHaveMoved && attempt < ATTEMPTS_MAX) {
      return await findCopySource(context, source, attempt + 1);
    }
    throw isBackendError(error, 'NoSuchContainer')
      ? missing('NoSuchBucket', source, error)
      : asSourceError(error, source);
  }
}

async function sourceRef(
  { services, call, principal }: RequestContext,
  { bucket, key, versionId }: CopySource,
): Promise<ObjectRef> {
  const { account } = principal;
  if (versionId === undefined) return { account, container: bucket, object: key };
  const found = await services.versions.find(call, { account, bucket, key }, versionId);
  if (found === undefined) {
    // An index says nothing of the bucket, which may not be there.
    await services.backend.headContainer(call, { account, container: bucket });
    const details = { BucketName: bucket, Key: key, VersionId: versionId };
    throw new S3Error('NoSuchVersion', undefined, details);
  }
  if (found.entry.kind === 'version') return found.ref;
  const message =
    'The source of a copy request may not specifically refer to a delete marker by version id.';
  throw new S3Error('InvalidRequest', message);
}

/**
 * The error of the backend's copyObject as the client is to see it: a source that has gone in
 * between is named, and told apart from a missing target.
 */
export function asSourceError(error: unknown, source: CopySource): unknown {
  if (isBackendError(error, 'NoSuchSourceContainer')) return missing('NoSuchBucket', source, error);
  if (isBackendError(error, 'NoSuchObject')) return missing('NoSuchKey', source, error);
  return error;
}

function isBackendError(error: unknown, code: BackendErrorCode): error is BackendError {
  return error instanceof BackendError && error.code === code;
}

function missing(
  code: 'NoSuchBucket' | 'NoSuchKey',
  { bucket, key }: CopySource,
  cause: BackendError,
): S3Error {
  return new S3Error(code, undefined, { BucketName: bucket, Key: key }, { cause });
}
