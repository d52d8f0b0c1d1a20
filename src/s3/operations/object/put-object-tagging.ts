import type { RequestContext, S3Response } from '../../operation.js';
import { XML_BODY_BYTES_MAX } from '../../xml/parse.js';
import { parseTagging } from '../../xml/tagging.js';
import { objectOf } from '../refs.js';
import { tagsPatch } from '../stored-tags.js';
import { requireCurrentVersion } from './object-response.js';

/** PutObjectTagging: replaces all tags; ETag and Last-Modified stay as they are. */
export async function putObjectTagging(context: RequestContext): Promise<S3Response> {
  requireCurrentVersion(context);
  const body = await context.openPayload().collect(XML_BODY_BYTES_MAX);
  const systemMetadata = tagsPatch(parseTagging(body, 'object'));
  const { backend } = context.services;
  await backend.updateObject(context.call, objectOf(context), { systemMetadata });
  return { status: 200, headers: [], body: '' };
}
