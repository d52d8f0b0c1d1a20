import { requireAscendingParts, type RequestedPart } from '../rules/complete-rules.js';
import { PART_NUMBER_MIN } from '../rules/part-number.js';
import { PART_NUMBER_MAX } from '../rules/protocol-limits.js';
import { invalidArgument, isDecimal } from '../rules/query-parameters.js';
import { S3Error } from '../errors.js';
import { XML_BOUNDS } from './bounds.js';
import { isChecksumElement, parseChecksum } from './checksum-elements.js';
import { parseXml, requiredChildText, type XmlElement } from './parse.js';

/** As AWS does, one without its partner too: shell scripts lose or double them. */
const QUOTES_AROUND = /^"+|"+$/g;

/** Plain data: it can be structured-cloned. */
export interface CompleteMultipartUpload {
  /** The parts in ascending order, 1 to 10,000. */
  readonly parts: readonly RequestedPart[];
}

/**
 * The body of CompleteMultipartUpload.
 *
 * @throws S3Error `MalformedXML`, also without parts and for more than 10,000; `InvalidPartOrder`;
 *   `InvalidArgument` for a part number out of range or a false checksum; `NotImplemented` for a
 *   checksum of another algorithm; `MaxMessageLengthExceeded`
 */
export function parseCompleteMultipartUpload(body: Buffer): CompleteMultipartUpload {
  const root = parseXml(body, 'CompleteMultipartUpload', XML_BOUNDS.CompleteMultipartUpload);
  const { length } = root.children;
  if (length === 0 || length > PART_NUMBER_MAX) throw new S3Error('MalformedXML');
  const parts = root.children.map(parsePart);
  requireAscendingParts(parts);
  return { parts };
}

function parsePart(part: XmlElement): RequestedPart {
  if (part.name !== 'Part' || !part.children.every(isKnown)) throw new S3Error('MalformedXML');
  const partNumber = parsePartNumber(requiredChildText(part, 'PartNumber').trim());
  const etag = requiredChildText(part, 'ETag').trim().replace(QUOTES_AROUND, '');
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
