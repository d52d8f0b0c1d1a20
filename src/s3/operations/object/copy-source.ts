import type { ObjectHead, ObjectRef } from '../../../backend/backend.js';
import { BackendError, type BackendErrorCode } from '../../../backend/errors.js';
import type { RequestContext } from '../../operation.js';
import { requireCopyConditions } from '../../rules/copy-conditions.js';
import { parseCopySource, type CopySource } from '../../rules/copy-source.js';
import { NULL_VERSION_ID } from '../../rules/version-id.js';
import { S3Error } from '../../s3-error.js';
import { requireReadable } from './object-response.js';

/** The source of CopyObject and UploadPartCopy: an object of the same account. */

/** @throws S3Error as {@link parseCopySource}; `NoSuchVersion` while buckets keep none */
export function readCopySource({ headers }: RequestContext): CopySource {
  const source = parseCopySource(headers.get('x-amz-copy-source') ?? '');
  const { bucket, key, versionId } = source;
  if (versionId === undefined || versionId === NULL_VERSION_ID) return source;
  throw new S3Error('NoSuchVersion', undefined, {
    BucketName: bucket,
    Key: key,
    VersionId: versionId,
  });
}

export function copySourceRef({ principal }: RequestContext, source: CopySource): ObjectRef {
  return { account: principal.account, container: source.bucket, object: source.key };
}

/**
 * The source as it is now, once its conditions hold. What is copied afterwards is that very object
 * only when its ETag goes along as `sourceEtag`.
 *
 * @throws S3Error `NoSuchBucket` and `NoSuchKey`, naming the source; `PreconditionFailed`;
 *   `InvalidObjectState` for a cold object
 */
export async function headCopySource(
  context: RequestContext,
  source: CopySource,
): Promise<ObjectHead> {
  const { backend } = context.services;
  const head = await backend
    .headObject(context.call, copySourceRef(context, source))
    .catch((error: unknown) => {
      throw isBackendError(error, 'NoSuchContainer')
        ? missing('NoSuchBucket', source, error)
        : asSourceError(error, source);
    });
  requireReadable(context, head);
  requireCopyConditions(context.headers, head, Date.now());
  return head;
}

/**
 * What the backend's copyObject threw, as the client is to see it: a source that has gone in
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
