import type { ChecksumAlgorithm } from '../../digest/checksum.js';
import type { HeaderMap } from '../../http/exchange.js';
import { S3Error } from '../errors.js';
import { quoteEtag } from './etags.js';
import { PART_BYTES_MIN } from './protocol-limits.js';
import { isDecimal } from './query-parameters.js';

/** The decisions of CompleteMultipartUpload before it asks the store for anything. */

export interface PartChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Base64. */
  readonly value: string;
}

/** A part as the request names it. */
export interface RequestedPart {
  readonly partNumber: number;
  /** Unquoted. */
  readonly etag: string;
  readonly checksum?: PartChecksum | undefined;
}

/** A part as it was uploaded. */
export interface UploadedPart {
  readonly partNumber: number;
  /** Unquoted. */
  readonly etag: string;
  /** Bytes. */
  readonly size: number;
  readonly checksum?: PartChecksum | undefined;
}

export interface SelectedParts<Part extends UploadedPart> {
  /** The parts in ascending order; at least one. */
  readonly parts: readonly Part[];
  /** Bytes of all of them. */
  readonly size: number;
}

/** The largest object made of parts. */
export const MULTIPART_OBJECT_BYTES_MAX = 5 * 1024 ** 4;

const OBJECT_SIZE_HEADER = 'x-amz-mp-object-size';

/** @throws S3Error `InvalidPartOrder` unless each number is larger than the one before it */
export function requireAscendingParts(requested: readonly RequestedPart[]): void {
  let previous = 0;
  for (const { partNumber } of requested) {
    if (partNumber <= previous) throw new S3Error('InvalidPartOrder');
    previous = partNumber;
  }
}

/**
 * The parts that an object is to be made of. Uploaded parts that the request does not name are left
 * out, as AWS leaves them.
 *
 * @param requested in ascending order
 * @param uploaded by part number
 * @throws S3Error `InvalidPartOrder`; `InvalidPart` for a part that is not there or differs in
 *   ETag or checksum; `EntityTooSmall` for one under 5 MiB that is not the last; `EntityTooLarge`
 *   over 5 TiB in all
 */
export function selectParts<Part extends UploadedPart>(
  uploadId: string,
  requested: readonly RequestedPart[],
  uploaded: ReadonlyMap<number, Part>,
): SelectedParts<Part> {
  requireAscendingParts(requested);
  const parts = requested.map((part) => findPart(uploadId, part, uploaded));
  let size = 0;
  for (const [index, part] of parts.entries()) {
    if (part.size < PART_BYTES_MIN && index < parts.length - 1) throw entityTooSmall(part);
    size += part.size;
  }
  if (size > MULTIPART_OBJECT_BYTES_MAX) throw entityTooLarge(size);
  return { parts, size };
}

/**
 * Holds the sum of the parts against `x-amz-mp-object-size`, by which a client makes sure that no
 * part was forgotten.
 * @throws S3Error `InvalidRequest` when they differ, or when the header is no number
 */
export function requireObjectSize(headers: HeaderMap, size: number): void {
  const value = headers.get(OBJECT_SIZE_HEADER);
  if (value === undefined) return;
  if (!isDecimal(value)) {
    throw new S3Error('InvalidRequest', `Value for ${OBJECT_SIZE_HEADER} header is invalid.`);
  }
  if (Number(value) === size) return;
  throw new S3Error(
    'InvalidRequest',
    `The provided '${OBJECT_SIZE_HEADER}' header value ${value} does not match what was computed: ${size}`,
  );
}

function findPart<Part extends UploadedPart>(
  uploadId: string,
  requested: RequestedPart,
  uploaded: ReadonlyMap<number, Part>,
): Part {
  const part = uploaded.get(requested.partNumber);
  if (part?.etag !== requested.etag || !checksumAgrees(requested.checksum, part.checksum)) {
    throw new S3Error('InvalidPart', undefined, {
      UploadId: uploadId,
      PartNumber: String(requested.partNumber),
      ETag: requested.etag,
    });
  }
  return part;
}

/** A checksum that nothing was stored for agrees with nothing: the client relies on it. */
function checksumAgrees(
  requested: PartChecksum | undefined,
  uploaded: PartChecksum | undefined,
): boolean {
  if (requested === undefined) return true;
  return requested.algorithm === uploaded?.algorithm && requested.value === uploaded.value;
}

function entityTooSmall(part: UploadedPart): S3Error {
  return new S3Error('EntityTooSmall', undefined, {
    ProposedSize: String(part.size),
    MinSizeAllowed: String(PART_BYTES_MIN),
    PartNumber: String(part.partNumber),
    ETag: quoteEtag(part.etag),
  });
}

function entityTooLarge(size: number): S3Error {
  return new S3Error('EntityTooLarge', undefined, {
    ProposedSize: String(size),
    MaxSizeAllowed: String(MULTIPART_OBJECT_BYTES_MAX),
  });
}
