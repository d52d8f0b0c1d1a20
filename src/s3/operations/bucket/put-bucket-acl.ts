import { bucketVersioning } from '../../bucket-versions.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { aclOfSegments } from '../../rules/acl/container-acl.js';
import { bucketAclInput } from '../../rules/acl/bucket-acl.js';
import { aclOfPut } from '../../rules/acl/request.js';
import { containerOf } from '../refs.js';
import { aclDocument, aclOf } from '../stored-acl.js';
import { setSegmentsAcl } from './segments-acl.js';

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
