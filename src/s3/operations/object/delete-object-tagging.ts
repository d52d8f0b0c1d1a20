import type { RequestContext, S3Response } from '../../operation.js';
import { tagsPatch } from '../stored-tags.js';
import { versionHeaders } from './object-response.js';
import { updateNamedVersion } from './update-named.js';

/** DeleteObjectTagging: 204 whether there were tags or not (SPEC.md 4.5). */
export async function deleteObjectTagging(context: RequestContext): Promise<S3Response> {
  const patch = tagsPatch([]);
  const { head } = await updateNamedVersion(context, { patchFor: () => patch });
  return { status: 204, headers: versionHeaders(head) };
}
