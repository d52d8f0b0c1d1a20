import { formatIsoDate } from '../rules/dates.js';
import { quoteEtag } from '../rules/etags.js';
import type { ListPartsQuery } from '../rules/multipart-listing-query.js';
import { renderChecksum, type ChecksumType, type ResultChecksum } from './checksum-elements.js';
import { element, optionalElement, xmlDocument } from './escape.js';
import { nameElement } from './listing-entries.js';
import { S3_NAMESPACE } from './namespace.js';
import { renderInitiator, renderOwner, type Owner } from './owner.js';

export interface ListedPart {
  readonly partNumber: number;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  /** Unquoted. */
  readonly etag: string;
  readonly size: number;
  readonly checksum?: ResultChecksum | undefined;
}

export interface ListPartsResult {
  readonly bucket: string;
  readonly key: string;
  readonly query: ListPartsQuery;
  readonly initiator: Owner;
  readonly owner: Owner;
  readonly storageClass: string;
  /** The algorithm as in `x-amz-checksum-algorithm`; left out when the upload has none. */
  readonly checksumAlgorithm?: string | undefined;
  readonly checksumType?: ChecksumType | undefined;
  /** The parts in ascending order. */
  readonly parts: readonly ListedPart[];
  readonly truncated: boolean;
}

/**
 * The answer of ListParts. A page has its last part as the marker of the next one, also where no other
 * follows. Only a page without parts has none, where AWS says 0: the AWS SDK for JavaScript goes on for
 * as long as there is a marker, and 0 would be the first page again.
 */
export function renderListPartsResult(result: ListPartsResult): string {
  const { query, parts } = result;
  return xmlDocument(
    `<ListPartsResult xmlns="${S3_NAMESPACE}">${element('Bucket', result.bucket)}` +
      nameElement('Key', result.key, query.urlEncoded) +
      (query.urlEncoded ? '<EncodingType>url</EncodingType>' : '') +
      element('UploadId', query.uploadId) +
      renderInitiator(result.initiator) +
      renderOwner(result.owner) +
      element('StorageClass', result.storageClass) +
      optionalElement('ChecksumAlgorithm', result.checksumAlgorithm) +
      optionalElement('ChecksumType', result.checksumType) +
      `<PartNumberMarker>${query.partNumberMarker}</PartNumberMarker>` +
      optionalElement('NextPartNumberMarker', parts.at(-1)?.partNumber.toString()) +
      `<MaxParts>${query.maxParts}</MaxParts>` +
      `<IsTruncated>${String(result.truncated)}</IsTruncated>` +
      `${parts.map(renderPart).join('')}</ListPartsResult>`,
  );
}

function renderPart(part: ListedPart): string {
  return (
    `<Part><PartNumber>${part.partNumber}</PartNumber>` +
    `<LastModified>${formatIsoDate(part.lastModified)}</LastModified>` +
    element('ETag', quoteEtag(part.etag)) +
    `<Size>${part.size}</Size>${renderChecksum(part.checksum)}</Part>`
  );
}
