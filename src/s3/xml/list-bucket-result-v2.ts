import type { ListObjectsV2Query } from '../rules/listing-query.js';
import type { Document } from './document-bytes.js';
import { element, optionalElement } from './escape.js';
import {
  addCommonPrefixes,
  addContents,
  listingBytes,
  nameElement,
  type ListedKey,
} from './listing-entries.js';
import { S3_NAMESPACE } from './namespace.js';

export interface ListBucketResultV2 {
  readonly bucket: string;
  readonly query: ListObjectsV2Query;
  readonly contents: readonly ListedKey[];
  readonly commonPrefixes: readonly string[];
  readonly truncated: boolean;
  /** For the next page; given when the page is truncated. */
  readonly nextContinuationToken?: string | undefined;
}

/** The answer of ListObjectsV2. */
export function renderListBucketResultV2(result: ListBucketResultV2): Document {
  const { query, contents, commonPrefixes } = result;
  const { urlEncoded } = query;
  const document = listingBytes(contents.length + commonPrefixes.length);
  document.add(
    `<ListBucketResult xmlns="${S3_NAMESPACE}">${element('Name', result.bucket)}` +
      nameElement('Prefix', query.prefix, urlEncoded) +
      nameElement('StartAfter', query.startAfter, urlEncoded) +
      optionalElement('ContinuationToken', query.continuationToken) +
      optionalElement('NextContinuationToken', result.nextContinuationToken) +
      `<KeyCount>${contents.length + commonPrefixes.length}</KeyCount>` +
      `<MaxKeys>${query.maxKeys}</MaxKeys>` +
      nameElement('Delimiter', query.delimiter, urlEncoded) +
      (urlEncoded ? '<EncodingType>url</EncodingType>' : '') +
      `<IsTruncated>${String(result.truncated)}</IsTruncated>`,
  );
  addContents(document, contents, urlEncoded);
  addCommonPrefixes(document, commonPrefixes, urlEncoded);
  document.add('</ListBucketResult>');
  return document.take();
}
