import type { RequestContext, S3Response } from '../../operation.js';
import { S3Error } from '../../s3-error.js';
import { renderTagging } from '../../xml/tagging.js';
import { containerOf } from '../refs.js';
import { storedTags } from '../stored-tags.js';
import { xmlResponse } from '../xml-response.js';

/** GetBucketTagging: a bucket without tags has no set, unlike an object. */
export async function getBucketTagging(context: RequestContext): Promise<S3Response> {
  const head = await context.services.backend.headContainer(context.call, containerOf(context));
  const tags = storedTags(head.systemMetadata);
  if (tags.length === 0) throw new S3Error('NoSuchTagSet');
  return xmlResponse(renderTagging(tags));
}
