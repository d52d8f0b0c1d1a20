import { requireAscendingParts, type RequestedPart } from '../rules/complete-rules.js';
import { unquoteEtag } from '../rules/etags.js';
import { PART_NUMBER_MAX, PART_NUMBER_MIN } from '../rules/part-number.js';
import { invalidArgument, isDecimal } from '../rules/query-parameters.js';
import { S3Error } from '../s3-error.js';
import { isChecksumElement, parseChecksum } from './checksum-elements.js';
import { parseXml, requiredChildText, type XmlElement } from './parse.js';

/** Plain data: it can be structured-cloned. */
export interface CompleteMultipartUpload {
  /** In ascending order, 1 to 10,000 of them. */
  readonly parts: readonly RequestedPart[];
}

/**
 * 10,000 parts as the SDKs write them take 1.0 MB without checksums and 1.8 MB with SHA-256 each
 * (180 bytes a part). 4 MiB are 419 bytes a part: enough for indented documents with prefixed names.
 */
export const COMPLETE_MULTIPART_UPLOAD_BYTES_MAX = 4 * 1024 * 1024;

/**
 * The body of CompleteMultipartUpload.
 *
 * @throws S3Error `MalformedXML`, also without parts and for more than 10,000; `InvalidPartOrder`;
 *   `InvalidArgument` for a part number out of range or a false checksum; `NotImplemented` for a
 *   checksum of another algorithm; `MaxMessageLengthExceeded`
 */
export function parseCompleteMultipartUpload(body: Buffer): CompleteMultipartUpload {
  const root = parseXml(body, 'CompleteMultipartUpload', COMPLETE_MULTIPART_UPLOAD_BYTES_MAX);
  const { length } = root.children;
  if (length === 0 || length > PART_NUMBER_MAX) throw new S3Error('MalformedXML');
  const parts = root.children.map(parsePart);
  requireAscendingParts(parts);
  return { parts };
}

function parsePart(part: XmlElement): RequestedPart {
  if (part.name !== 'Part' || !part.children.every(isKnown)) throw new S3Error('MalformedXML');
  const partNumber = parsePartNumber(requiredChildText(part, 'PartNumber').trim());
  const etag = unquoteEtag(requiredChildText(part, 'ETag').trim());
  const checksum = parseChecksum(part);
  return checksum === undefined ? { partNumber, etag } : { partNumber, etag, checksum };
}

function isKnown({ name }: XmlElement): boolean {
  return name === 'PartNumber' || name === 'ETag' || isChecksumElement(name);
}

function parsePartNumber(text: string): number {
  if (!isDecimal(text.startsWith('-') ? text.slice(1) : text)) throw new S3Error('MalformedXML');
  const partNumber = Number(text);
  if (partNumber < PART_NUMBER_MIN) {
    throw invalidArgument('PartNumber', text, `PartNumber must be >= ${PART_NUMBER_MIN}`);
  }
  if (partNumber > PART_NUMBER_MAX) {
    throw invalidArgument('PartNumber', text, `PartNumber must be <= ${PART_NUMBER_MAX}`);
  }
  return partNumber;
}
