import type { ListObjectsV2Query } from '../rules/listing-query.js';
import type { Document } from './document-bytes.js';
import { element, optionalElement } from './escape.js';
import { nameElement, type ObjectListing } from './listing-entries.js';
import { S3_NAMESPACE } from './namespace.js';

export interface ListBucketResultV2 {
  readonly bucket: string;
  readonly query: ListObjectsV2Query;
  readonly truncated: boolean;
  /** The token for the next page; given when the page is truncated. */
  readonly nextContinuationToken?: string | undefined;
}

/** The answer of ListObjectsV2, whose entries are in the listing. */
export function renderListBucketResultV2(
  result: ListBucketResultV2,
  listing: ObjectListing,
): Document {
  const { query } = result;
  const { urlEncoded } = query;
  return listing.take(
    `<ListBucketResult xmlns="${S3_NAMESPACE}">${element('Name', result.bucket)}` +
      nameElement('Prefix', query.prefix, urlEncoded) +
      nameElement('StartAfter', query.startAfter, urlEncoded) +
      optionalElement('ContinuationToken', query.continuationToken) +
      optionalElement('NextContinuationToken', result.nextContinuationToken) +
      `<KeyCount>${listing.count}</KeyCount>` +
      `<MaxKeys>${query.maxKeys}</MaxKeys>` +
      nameElement('Delimiter', query.delimiter, urlEncoded) +
      (urlEncoded ? '<EncodingType>url</EncodingType>' : '') +
      `<IsTruncated>${String(result.truncated)}</IsTruncated>`,
  );
}
