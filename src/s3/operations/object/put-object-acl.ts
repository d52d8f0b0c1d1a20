import type { RequestContext, S3Response } from "../../operation.js";
import { aclOfPut } from "../../rules/acl/request.js";
import { ACL_METADATA, encodeAcl } from "../../rules/acl/stored.js";
import { XML_BODY_BYTES_MAX } from "../../xml/parse.js";
import { aclOf, bucketOwnerFor } from "../stored-acl.js";
import { headNamedVersion } from "./named-version.js";
import { versionHeaders } from "./object-response.js";

/** PutObjectAcl: ETag and Last-Modified stay as they are. SPEC.md 4.5. */
export async function putObjectAcl(
  context: RequestContext,
): Promise<S3Response> {
  const { headers, call, services } = context;
  const body = await context.openPayload().collect(XML_BODY_BYTES_MAX);
  const { ref, head } = await headNamedVersion(context);
  const { owner } = aclOf(context, head.systemMetadata);
  const bucketOwner = await bucketOwnerFor(context, owner);
  const acl = aclOfPut(headers, body, "object", { owner, bucketOwner });
  await services.backend.updateObject(call, ref, {
    systemMetadata: { [ACL_METADATA]: encodeAcl(acl) },
  });
  return { status: 200, headers: versionHeaders(head), body: "" };
}
