import type { ListObjectsQuery } from '../rules/listing-query.js';
import type { Document } from './document-bytes.js';
import { element } from './escape.js';
import { nameElement, type ObjectListing } from './listing-entries.js';
import { S3_NAMESPACE } from './namespace.js';

export interface ListBucketResult {
  readonly bucket: string;
  readonly query: ListObjectsQuery;
  readonly truncated: boolean;
  /**
   * The last key or common prefix of a truncated page. Shown only with a delimiter, as AWS does:
   * without one, clients go on from the last key.
   */
  readonly nextMarker?: string | undefined;
}

/** The answer of ListObjects (version 1), whose entries are in the listing. */
export function renderListBucketResult(result: ListBucketResult, listing: ObjectListing): Document {
  const { query } = result;
  const { urlEncoded, delimiter } = query;
  const showNextMarker = result.truncated && delimiter !== undefined;
  return listing.take(
    `<ListBucketResult xmlns="${S3_NAMESPACE}">${element('Name', result.bucket)}` +
      nameElement('Prefix', query.prefix, urlEncoded) +
      nameElement('Marker', query.marker, urlEncoded) +
      nameElement('NextMarker', showNextMarker ? result.nextMarker : undefined, urlEncoded) +
      `<MaxKeys>${query.maxKeys}</MaxKeys>` +
      nameElement('Delimiter', delimiter, urlEncoded) +
      (urlEncoded ? '<EncodingType>url</EncodingType>' : '') +
      `<IsTruncated>${String(result.truncated)}</IsTruncated>`,
  );
}
