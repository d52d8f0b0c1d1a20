import type { RequestContext, S3Response } from '../../operation.js';
import { renderAccessControlPolicy } from '../../xml/access-control-policy.js';
import { bucketAclOf } from '../stored-acl.js';
import { xmlResponse } from '../xml-response.js';

/** GetBucketAcl: with what Swift users have opened or closed of the container since it was set. */
export async function getBucketAcl(context: RequestContext): Promise<S3Response> {
  const head = await context.containerHead();
  return xmlResponse(renderAccessControlPolicy(bucketAclOf(context, head)));
}
