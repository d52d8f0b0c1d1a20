import type { RequestContext, S3Response } from "../../operation.js";
import { tagsPatch } from "../stored-tags.js";
import { headNamedVersion } from "./named-version.js";
import { versionHeaders } from "./object-response.js";

/** DeleteObjectTagging: 204 whether there were tags or not (SPEC.md 4.5). */
export async function deleteObjectTagging(
  context: RequestContext,
): Promise<S3Response> {
  const systemMetadata = tagsPatch([]);
  const { ref, head } = await headNamedVersion(context);
  await context.services.backend.updateObject(context.call, ref, {
    systemMetadata,
  });
  return { status: 204, headers: versionHeaders(head) };
}
