import type { RequestContext, S3Response } from '../../operation.js';
import { noRetention } from '../../rules/object-lock/refusals.js';
import { storedRetention } from '../../rules/object-lock/stored.js';
import { renderRetention } from '../../xml/retention.js';
import { xmlResponse } from '../xml-response.js';
import { requireObjectLock } from './bucket-locks.js';
import { headNamedVersion } from './named-version.js';
import { versionHeaders } from './object-response.js';

/** GetObjectRetention. SPEC.md 3.2 */
export async function getObjectRetention(context: RequestContext): Promise<S3Response> {
  await requireObjectLock(context);
  const { head } = await headNamedVersion(context);
  const retention = storedRetention(head.systemMetadata);
  if (retention === undefined) throw noRetention(context.endpoint.key);
  return xmlResponse(renderRetention(retention), versionHeaders(head));
}
