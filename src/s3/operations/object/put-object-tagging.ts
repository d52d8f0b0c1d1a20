import type { RequestContext, S3Response } from '../../operation.js';
import { XML_BODY_BYTES_MAX } from '../../xml/parse.js';
import { parseTagging } from '../../xml/tagging.js';
import { tagsPatch } from '../stored-tags.js';
import { versionHeaders } from './object-response.js';
import { updateNamedVersion } from './update-named.js';

/** PutObjectTagging: replaces all tags; ETag and Last-Modified stay as they are. */
export async function putObjectTagging(context: RequestContext): Promise<S3Response> {
  const body = await context.openPayload().collect(XML_BODY_BYTES_MAX);
  const patch = tagsPatch(parseTagging(body, 'object'));
  const { head } = await updateNamedVersion(context, { patchFor: () => patch });
  return { status: 200, headers: versionHeaders(head), body: '' };
}
