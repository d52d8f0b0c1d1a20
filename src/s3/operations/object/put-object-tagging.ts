import type { RequestContext, S3Response } from '../../operation.js';
import { readDocument } from '../request-document.js';
import { tagsPatch } from '../stored-tags.js';
import { versionHeaders } from './object-response.js';
import { updateNamedVersion } from './update-named.js';

/** PutObjectTagging: replaces all tags; ETag and Last-Modified stay as they are. */
export async function putObjectTagging(context: RequestContext): Promise<S3Response> {
  const patch = tagsPatch(await readDocument(context, 'ObjectTagging'));
  const { head } = await updateNamedVersion(context, { patchFor: () => patch });
  return { status: 200, headers: versionHeaders(head), body: '' };
}
