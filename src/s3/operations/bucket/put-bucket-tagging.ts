import type { RequestContext, S3Response } from '../../operation.js';
import { containerOf } from '../refs.js';
import { readDocument } from '../request-document.js';
import { tagsPatch } from '../stored-tags.js';

/** PutBucketTagging: replaces all tags. SPEC.md 4.5 says 200, where AWS answers 204. */
export async function putBucketTagging(context: RequestContext): Promise<S3Response> {
  const systemMetadata = tagsPatch(await readDocument(context, 'BucketTagging'));
  const { backend } = context.services;
  await backend.updateContainer(context.call, containerOf(context), { systemMetadata });
  return { status: 200, headers: [], body: '' };
}
