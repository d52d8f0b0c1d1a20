import type { RequestContext, S3Response } from '../../operation.js';
import { objectOf } from '../refs.js';
import { tagsPatch } from '../stored-tags.js';
import { requireCurrentVersion } from './object-response.js';

/** DeleteObjectTagging: 204 whether there were tags or not (SPEC.md 4.5). */
export async function deleteObjectTagging(context: RequestContext): Promise<S3Response> {
  requireCurrentVersion(context);
  const systemMetadata = tagsPatch([]);
  const { backend } = context.services;
  await backend.updateObject(context.call, objectOf(context), { systemMetadata });
  return { status: 204, headers: [] };
}
