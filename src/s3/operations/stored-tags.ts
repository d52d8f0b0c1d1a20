import type { Metadata, MetadataPatch } from '../../backend/backend.js';
import { SYSTEM_METADATA } from '../object-attributes.js';
import { decodeTags, encodeTags, type Tag } from '../rules/tagging.js';
import { S3Error } from '../s3-error.js';

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
