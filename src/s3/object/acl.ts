import { type RequestContext, type S3Response, xmlResponse } from '../operation.js';
import { aclOfPut } from '../rules/acl/request.js';
import { ACL_METADATA, encodeAcl } from '../rules/acl/stored.js';
import { renderAccessControlPolicy } from '../xml/access-control-policy.js';
import { headNamedVersion, updateNamedVersion } from './named-version.js';
import { versionHeaders } from './object-response.js';
import { aclOf, aclDocument, bucketOwnerFor } from './stored-acl.js';

/** GetObjectAcl: the object's own; that its bucket may open it to more is no part of it. */
export async function getObjectAcl(context: RequestContext): Promise<S3Response> {
  const { head } = await headNamedVersion(context);
  return xmlResponse(
    renderAccessControlPolicy(aclOf(context, head.systemMetadata)),
    await versionHeaders(context, head),
  );
}

/** PutObjectAcl: ETag and Last-Modified stay as they are. SPEC.md 4.5. */
export async function putObjectAcl(context: RequestContext): Promise<S3Response> {
  const { headers } = context;
  const document = await aclDocument(context);
  const { head } = await updateNamedVersion(context, {
    patchFor: async ({ head: { systemMetadata } }) => {
      const { owner } = aclOf(context, systemMetadata);
      const bucketOwner = await bucketOwnerFor(context, owner);
      const acl = aclOfPut(headers, document, 'object', { owner, bucketOwner });
      return { [ACL_METADATA]: encodeAcl(acl) };
    },
    // It says who the owner is, and whether this request may change it.
    decidedOn: [ACL_METADATA],
  });
  return { status: 200, headers: await versionHeaders(context, head), body: '' };
}
