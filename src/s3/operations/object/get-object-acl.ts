import type { RequestContext, S3Response } from '../../operation.js';
import { renderAccessControlPolicy } from '../../xml/access-control-policy.js';
import { aclOf } from '../stored-acl.js';
import { xmlResponse } from '../xml-response.js';
import { headNamedVersion } from './named-version.js';
import { versionHeaders } from './object-response.js';

/** GetObjectAcl: the object's own; that its bucket may open it to more is no part of it. */
export async function getObjectAcl(context: RequestContext): Promise<S3Response> {
  const { head } = await headNamedVersion(context);
  return xmlResponse(
    renderAccessControlPolicy(aclOf(context, head.systemMetadata)),
    versionHeaders(head),
  );
}
