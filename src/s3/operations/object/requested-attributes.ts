import type { Metadata } from '../../../backend/backend.js';
import type { HeaderMap } from '../../../http/exchange.js';
import { SYSTEM_METADATA } from '../../object-attributes.js';
import { DEFAULT_STORAGE_CLASS, parseStorageClass } from '../../rules/storage-class.js';
import { encodeTags, parseTaggingHeader } from '../../rules/tagging.js';

/** What is kept of an object for the gateway's own use: a part of every write's input. */
export interface ObjectAttributes {
  readonly systemMetadata?: Metadata;
  readonly listingAttributes?: Metadata;
}

const NOTHING: ObjectAttributes = {};

/**
 * Storage class and tags that the headers of a new object ask for. To be called before anything of
 * the body is read: SPEC.md 4.3.
 *
 * @throws S3Error `InvalidStorageClass`; as {@link parseTaggingHeader}
 */
export function requestedAttributes(
  headers: HeaderMap,
  storageClasses: readonly string[],
): ObjectAttributes {
  const storageClass = storageClassAttributes(parseStorageClass(headers, storageClasses));
  const tagging = taggingAttributes(headers);
  if (tagging === undefined) {
    if (storageClass === undefined) return NOTHING;
    return { systemMetadata: storageClass, listingAttributes: storageClass };
  }
  if (storageClass === undefined) return { systemMetadata: tagging };
  return { systemMetadata: { ...storageClass, ...tagging }, listingAttributes: storageClass };
}

/** Undefined for `STANDARD`: listings show it where nothing else is said. */
export function storageClassAttributes(storageClass: string): Metadata | undefined {
  if (storageClass === DEFAULT_STORAGE_CLASS) return undefined;
  return { [SYSTEM_METADATA.storageClass]: storageClass };
}

/** Undefined without tags. @throws S3Error as {@link parseTaggingHeader} */
export function taggingAttributes(headers: HeaderMap): Metadata | undefined {
  const value = headers.get('x-amz-tagging');
  const tags = value === undefined ? [] : parseTaggingHeader(value);
  return tags.length === 0 ? undefined : { [SYSTEM_METADATA.tagging]: encodeTags(tags) };
}
