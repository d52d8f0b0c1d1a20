import type { RequestContext, S3Response } from '../../operation.js';
import { XML_BODY_BYTES_MAX } from '../../xml/parse.js';
import { parseTagging } from '../../xml/tagging.js';
import { containerOf } from '../refs.js';
import { tagsPatch } from '../stored-tags.js';

/** PutBucketTagging: replaces all tags. SPEC.md 4.5 says 200, where AWS answers 204. */
export async function putBucketTagging(context: RequestContext): Promise<S3Response> {
  const body = await context.openPayload().collect(XML_BODY_BYTES_MAX);
  const systemMetadata = tagsPatch(parseTagging(body, 'bucket'));
  const { backend } = context.services;
  await backend.updateContainer(context.call, containerOf(context), { systemMetadata });
  return { status: 200, headers: [], body: '' };
}
