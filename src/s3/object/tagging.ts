import type { Metadata, MetadataPatch } from '../../backend/backend.js';
import { S3Error } from '../errors.js';
import { type RequestContext, type S3Response, xmlResponse } from '../operation.js';
import { readDocument } from '../request/request-document.js';
import { decodeTags, encodeTags, type Tag } from '../rules/tagging.js';
import { renderTagging } from '../xml/tagging.js';
import { SYSTEM_METADATA } from './attributes.js';
import { headNamedVersion, updateNamedVersion } from './named-version.js';
import { versionHeaders } from './object-response.js';

/** Tags between documents and system metadata, alike for buckets and objects. */

/** An empty set is what is left of tags that were removed: nothing. */
export function tagsPatch(tags: readonly Tag[]): MetadataPatch {
  return { [SYSTEM_METADATA.tagging]: tags.length === 0 ? null : encodeTags(tags) };
}

/** @throws S3Error `InternalError` when what is stored cannot be read */
export function storedTags(systemMetadata: Metadata): readonly Tag[] {
  const text = systemMetadata[SYSTEM_METADATA.tagging];
  if (text === undefined) return [];
  const tags = decodeTags(text);
  if (tags !== undefined) return tags;
  const cause = new Error(`these are no tags: ${text}`);
  throw new S3Error('InternalError', undefined, {}, { cause });
}

/** GetObjectTagging: an object without tags has an empty set. */
export async function getObjectTagging(context: RequestContext): Promise<S3Response> {
  const { head } = await headNamedVersion(context);
  return xmlResponse(
    renderTagging(storedTags(head.systemMetadata)),
    await versionHeaders(context, head),
  );
}

/** PutObjectTagging: replaces all tags; ETag and Last-Modified stay as they are. */
export async function putObjectTagging(context: RequestContext): Promise<S3Response> {
  const patch = tagsPatch(await readDocument(context, 'ObjectTagging'));
  const { head } = await updateNamedVersion(context, { patchFor: () => patch });
  return { status: 200, headers: await versionHeaders(context, head), body: '' };
}

/** DeleteObjectTagging: 204 whether there were tags or not (SPEC.md 4.5). */
export async function deleteObjectTagging(context: RequestContext): Promise<S3Response> {
  const patch = tagsPatch([]);
  const { head } = await updateNamedVersion(context, { patchFor: () => patch });
  return { status: 204, headers: await versionHeaders(context, head) };
}
