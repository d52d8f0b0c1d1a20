import type { ContainerHead, ContainerInput, Metadata } from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { S3Error } from '../errors.js';
import { isPrivate } from '../object/stored-acl.js';
import { type RequestContext, type S3Response, containerOf } from '../operation.js';
import { collectBounded } from '../request/request-document.js';
import { bucketAclInput } from '../rules/acl/bucket-acl.js';
import { aclOfSegments } from '../rules/acl/container-acl.js';
import { aclOfNew } from '../rules/acl/request.js';
import { canonicalId } from '../rules/acl/requester.js';
import { checkLocationConstraint } from '../rules/location-constraint.js';
import { parseLockEnabledHeader } from '../rules/object-lock/headers.js';
import { versioningPatch } from '../rules/versioning.js';
import { archiveContainer, requireVersionSupport } from '../versions/names.js';
import { closeSegments, setSegmentsAcl } from './acl.js';
import { objectLockPatch } from './configuration.js';

/**
 * CreateBucket. Names belong to an account, as Swift's containers do, so that only the caller can
 * own it already; like Swift's s3api, and AWS outside us-east-1, that answers 409.
 */
export async function createBucket(context: RequestContext): Promise<S3Response> {
  const { backend, settings, documents } = context.services;
  const body = await collectBounded(context, 'CreateBucketConfiguration', { bodyOptional: true });
  const { locationConstraint } = await documents.parse('CreateBucketConfiguration', body);
  checkLocationConstraint(locationConstraint, settings);
  const { account, container: bucket } = containerOf(context);
  const input = containerInput(context);
  const withLocks = parseLockEnabledHeader(context.headers);
  if (withLocks) requireVersionSupport(backend.capabilities);
  const created = { status: 200, headers: [['Location', `/${bucket}`]], body: '' } as const;
  const found = await existing(context);
  if (found !== undefined) {
    await requireOwnCreation(context, found);
    return created;
  }
  // The bucket comes last: who is told of a failure tries again, and is not to find it there.
  // Parts of a former bucket of this name may be left, open to whom that was.
  await setSegmentsAcl(context, aclOfSegments(input.acl ?? CLOSED, withLocks));
  try {
    // The archive is created like in PutBucketVersioning.
    const archive = archiveContainer(account, bucket);
    if (withLocks) await backend.createContainer(context.call, archive, {});
    const outcome = await backend.createContainer(context.call, containerOf(context), input);
    if (outcome === 'exists') throw new S3Error('BucketAlreadyOwnedByYou');
  } catch (error) {
    if (await wasCreated(context)) return created;
    await closeSegments(context).catch(() => undefined);
    throw error;
  }
  return created;
}

/**
 * Which CreateBucket made a bucket, in its container's system metadata: Swift may create a container
 * and answer 503, and the same request that is sent once more must not be told 409. SDKs give all
 * tries of one call the same id.
 */
const CREATION = 's3-creation';
const CREATION_ID = /^[0-9A-Za-z-]{8,64}$/;

function creationId({ headers, call }: RequestContext): string {
  const invocation = headers.get('amz-sdk-invocation-id') ?? '';
  return CREATION_ID.test(invocation) ? invocation : call.requestId;
}

/**
 * Makes sure that the bucket is what this request, or a former try of it, asked for, and that it is
 * there to stay: one that few of a cluster's servers know is written to the others.
 *
 * @throws S3Error `BucketAlreadyOwnedByYou`
 */
async function requireOwnCreation(
  context: RequestContext,
  { systemMetadata }: ContainerHead,
): Promise<void> {
  const id = creationId(context);
  if (systemMetadata[CREATION] !== id) throw new S3Error('BucketAlreadyOwnedByYou');
  const { backend } = context.services;
  const update = { systemMetadata: { [CREATION]: id } };
  await backend.updateContainer(context.call, containerOf(context), update);
}

/** Whether the bucket was made all the same, after the store has said that it was not. */
async function wasCreated(context: RequestContext): Promise<boolean> {
  try {
    const found = await existing(context);
    if (found === undefined) return false;
    await requireOwnCreation(context, found);
    return true;
  } catch {
    return false;
  }
}

/** The container as it is stored now, not as it is remembered. */
async function existing(context: RequestContext): Promise<ContainerHead | undefined> {
  const { backend } = context.services;
  try {
    return await backend.headContainer(context.call, containerOf(context), { newest: true });
  } catch (error) {
    if (isCode(error, 'NoSuchContainer')) return undefined;
    throw error;
  }
}

const CLOSED = { read: '', write: '' };

/** Only owners of the account create buckets: a private one needs no ACL. */
function containerInput(context: RequestContext): ContainerInput {
  const { headers, principal } = context;
  const owner = canonicalId(principal);
  const acl = aclOfNew(headers, 'bucket', { owner, bucketOwner: owner });
  const locks = parseLockEnabledHeader(headers) ? WITH_LOCKS : {};
  const own = { ...locks, [CREATION]: creationId(context) };
  if (isPrivate(acl)) return { systemMetadata: own };
  const input = bucketAclInput(acl, CLOSED);
  return { ...input, systemMetadata: { ...own, ...input.systemMetadata } };
}

/** A bucket that can lock versions keeps them from the beginning. */
const WITH_LOCKS = { ...versioningPatch('Enabled'), ...objectLockPatch({}) } as Metadata;
