import { formatIsoDate } from '../rules/dates.js';
import type { ListMultipartUploadsQuery } from '../rules/multipart-listing-query.js';
import type { ChecksumType } from './checksum-elements.js';
import { element, optionalElement, xmlDocument } from './escape.js';
import { nameElement, renderCommonPrefixes } from './listing-entries.js';
import { S3_NAMESPACE } from './namespace.js';
import { renderInitiator, renderOwner, type Owner } from './owner.js';

export interface ListedUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly initiator: Owner;
  readonly owner: Owner;
  readonly storageClass: string;
  /** Milliseconds since the epoch. */
  readonly initiated: number;
  /** The algorithm as in `x-amz-checksum-algorithm`; left out when the upload has none. */
  readonly checksumAlgorithm?: string | undefined;
  readonly checksumType?: ChecksumType | undefined;
}

export interface ListMultipartUploadsResult {
  readonly bucket: string;
  readonly query: ListMultipartUploadsQuery;
  readonly uploads: readonly ListedUpload[];
  readonly commonPrefixes: readonly string[];
  readonly truncated: boolean;
  /** The last key or common prefix of the page; empty when it has none. */
  readonly nextKeyMarker: string;
  /** The last upload; empty when a common prefix is the last entry. */
  readonly nextUploadIdMarker: string;
}

/** The answer of ListMultipartUploads. */
export function renderListMultipartUploadsResult(result: ListMultipartUploadsResult): string {
  const { query } = result;
  const { urlEncoded } = query;
  return xmlDocument(
    `<ListMultipartUploadsResult xmlns="${S3_NAMESPACE}">${element('Bucket', result.bucket)}` +
      nameElement('KeyMarker', query.keyMarker, urlEncoded) +
      element('UploadIdMarker', query.uploadIdMarker) +
      nameElement('NextKeyMarker', result.nextKeyMarker, urlEncoded) +
      element('NextUploadIdMarker', result.nextUploadIdMarker) +
      nameElement('Prefix', query.prefix, urlEncoded) +
      nameElement('Delimiter', query.delimiter, urlEncoded) +
      (urlEncoded ? '<EncodingType>url</EncodingType>' : '') +
      `<MaxUploads>${query.maxUploads}</MaxUploads>` +
      `<IsTruncated>${String(result.truncated)}</IsTruncated>` +
      result.uploads.map((upload) => renderUpload(upload, urlEncoded)).join('') +
      `${renderCommonPrefixes(result.commonPrefixes, urlEncoded)}</ListMultipartUploadsResult>`,
  );
}

function renderUpload(upload: ListedUpload, urlEncoded: boolean): string {
  return (
    `<Upload>${nameElement('Key', upload.key, urlEncoded)}` +
    element('UploadId', upload.uploadId) +
    renderInitiator(upload.initiator) +
    renderOwner(upload.owner) +
    element('StorageClass', upload.storageClass) +
    `<Initiated>${formatIsoDate(upload.initiated)}</Initiated>` +
    optionalElement('ChecksumAlgorithm', upload.checksumAlgorithm) +
    `${optionalElement('ChecksumType', upload.checksumType)}</Upload>`
  );
}
