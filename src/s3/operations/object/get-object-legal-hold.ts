import type { RequestContext, S3Response } from '../../operation.js';
import { noLegalHold } from '../../rules/object-lock/refusals.js';
import { storedLegalHold } from '../../rules/object-lock/stored.js';
import { renderLegalHold } from '../../xml/legal-hold.js';
import { xmlResponse } from '../xml-response.js';
import { requireObjectLock } from './bucket-locks.js';
import { headNamedVersion } from './named-version.js';
import { versionHeaders } from './object-response.js';

/** GetObjectLegalHold. SPEC.md 3.2 */
export async function getObjectLegalHold(context: RequestContext): Promise<S3Response> {
  await requireObjectLock(context);
  const { head } = await headNamedVersion(context);
  const legalHold = storedLegalHold(head.systemMetadata);
  if (legalHold === undefined) throw noLegalHold(context.endpoint.key);
  return xmlResponse(renderLegalHold(legalHold), versionHeaders(head));
}
