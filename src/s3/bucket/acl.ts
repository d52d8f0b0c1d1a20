import type { ContainerAcl } from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { bucketAclOf, aclDocument, aclOf } from '../object/stored-acl.js';
import { type RequestContext, type S3Response, xmlResponse, containerOf } from '../operation.js';
import { bucketAclInput } from '../rules/acl/bucket-acl.js';
import { aclOfSegments } from '../rules/acl/container-acl.js';
import { aclOfPut } from '../rules/acl/request.js';
import { segmentsContainer } from '../segments/names.js';
import { renderAccessControlPolicy } from '../xml/access-control-policy.js';
import { changeBucket } from './change-bucket.js';
import { bucketVersioning } from './configuration.js';

/** GetBucketAcl: with what Swift users have opened or closed of the container since it was set. */
export async function getBucketAcl(context: RequestContext): Promise<S3Response> {
  const head = await context.containerHead({ newest: true });
  return xmlResponse(renderAccessControlPolicy(bucketAclOf(context, head)));
}

/** Gives the container with the parts of the request's bucket this ACL, where there is one. */
export async function setSegmentsAcl(context: RequestContext, acl: ContainerAcl): Promise<void> {
  const { account, container: bucket } = containerOf(context);
  const segments = segmentsContainer(account, bucket);
  try {
    await context.services.backend.updateContainer(context.call, segments, { acl });
  } catch (error) {
    if (!isCode(error, 'NoSuchContainer')) throw error;
  }
}

/**
 * Gives the parts the ACL that goes with the bucket as it is now: who changes a bucket calls it last, so
 * that of several at once the last one leaves what all of them have made of it.
 *
 * @throws BackendError
 */
export async function closeSegments(context: RequestContext): Promise<void> {
  const { backend } = context.services;
  const bucket = containerOf(context);
  try {
    const head = await backend.headContainer(context.call, bucket, { newest: true });
    const keepsVersions = bucketVersioning(head.systemMetadata) !== 'unversioned';
    await setSegmentsAcl(context, aclOfSegments(head.acl, keepsVersions));
  } catch (error) {
    if (!isCode(error, 'NoSuchContainer')) throw error;
  }
}

/** PutBucketAcl: the bucket's ACL, and with it what the container's says of everybody. */
export async function putBucketAcl(context: RequestContext): Promise<S3Response> {
  const { headers } = context;
  const document = await aclDocument(context);
  // The newest: a Swift user may just have revoked what an older one still has.
  const head = await context.containerHead({ newest: true });
  const { owner } = aclOf(context, head.systemMetadata);
  const acl = aclOfPut(headers, document, 'bucket', { owner, bucketOwner: owner });
  await changeBucket(context, bucketAclInput(acl, head.acl), closeSegments);
  return { status: 200, headers: [], body: '' };
}
