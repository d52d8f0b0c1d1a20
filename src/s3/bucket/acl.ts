import type { ContainerAcl } from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { bucketAclOf, aclDocument, aclOf } from '../object/stored-acl.js';
import { type RequestContext, type S3Response, xmlResponse, containerOf } from '../operation.js';
import { bucketAclInput } from '../rules/acl/bucket-acl.js';
import { aclOfSegments } from '../rules/acl/container-acl.js';
import { aclOfPut } from '../rules/acl/request.js';
import { segmentsContainer } from '../segments/names.js';
import { renderAccessControlPolicy } from '../xml/access-control-policy.js';
import { bucketVersioning } from './configuration.js';

/** GetBucketAcl: with what Swift users have opened or closed of the container since it was set. */
export async function getBucketAcl(context: RequestContext): Promise<S3Response> {
  const head = await context.containerHead();
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

/** PutBucketAcl: the bucket's ACL, and with it what the container's says of everybody. */
export async function putBucketAcl(context: RequestContext): Promise<S3Response> {
  const { headers, call, services } = context;
  const document = await aclDocument(context);
  const head = await context.containerHead();
  const { owner } = aclOf(context, head.systemMetadata);
  const acl = aclOfPut(headers, document, 'bucket', { owner, bucketOwner: owner });
  const bucket = containerOf(context);
  const input = bucketAclInput(acl, head.acl);
  const keepsVersions = bucketVersioning(head.systemMetadata) !== 'unversioned';
  await services.backend.updateContainer(call, bucket, input);
  await setSegmentsAcl(context, aclOfSegments(input.acl, keepsVersions));
  return { status: 200, headers: [], body: '' };
}
