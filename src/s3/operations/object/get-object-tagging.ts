import type { RequestContext, S3Response } from '../../operation.js';
import { renderTagging } from '../../xml/tagging.js';
import { storedTags } from '../stored-tags.js';
import { xmlResponse } from '../xml-response.js';
import { headNamedVersion } from './named-version.js';
import { versionHeaders } from './object-response.js';

/** GetObjectTagging: an object without tags has an empty set. */
export async function getObjectTagging(context: RequestContext): Promise<S3Response> {
  const { head } = await headNamedVersion(context);
  return xmlResponse(renderTagging(storedTags(head.systemMetadata)), versionHeaders(head));
}
