import type { RequestContext, S3Response } from '../../operation.js';
import { renderTagging } from '../../xml/tagging.js';
import { objectOf } from '../refs.js';
import { storedTags } from '../stored-tags.js';
import { xmlResponse } from '../xml-response.js';
import { requireCurrentVersion } from './object-response.js';

/** GetObjectTagging: an object without tags has an empty set. */
export async function getObjectTagging(context: RequestContext): Promise<S3Response> {
  requireCurrentVersion(context);
  const head = await context.services.backend.headObject(context.call, objectOf(context));
  return xmlResponse(renderTagging(storedTags(head.systemMetadata)));
}
