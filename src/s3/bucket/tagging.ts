import { S3Error } from '../errors.js';
import { storedTags, tagsPatch } from '../object/tagging.js';
import { type RequestContext, type S3Response, containerOf, xmlResponse } from '../operation.js';
import { readDocument } from '../request/request-document.js';
import { renderTagging } from '../xml/tagging.js';

/** GetBucketTagging: a bucket without tags has no set, unlike an object. */
export async function getBucketTagging(context: RequestContext): Promise<S3Response> {
  const head = await context.containerHead({ newest: true });
  const tags = storedTags(head.systemMetadata);
  if (tags.length === 0) throw new S3Error('NoSuchTagSet');
  return xmlResponse(renderTagging(tags));
}

/** PutBucketTagging: replaces all tags. SPEC.md 4.5 says 200, where AWS answers 204. */
export async function putBucketTagging(context: RequestContext): Promise<S3Response> {
  const systemMetadata = tagsPatch(await readDocument(context, 'BucketTagging'));
  const { backend } = context.services;
  await backend.updateContainer(context.call, containerOf(context), { systemMetadata });
  return { status: 200, headers: [], body: '' };
}

/** DeleteBucketTagging: 204 whether there were tags or not. */
export async function deleteBucketTagging(context: RequestContext): Promise<S3Response> {
  const systemMetadata = tagsPatch([]);
  const { backend } = context.services;
  await backend.updateContainer(context.call, containerOf(context), { systemMetadata });
  return { status: 204, headers: [] };
}
