import type { ChecksumAlgorithm } from '../../digest/checksum.js';
import type { HeaderMap } from '../../http/exchange.js';
import { S3Error } from '../errors.js';
import type { ChecksumType } from '../xml/checksum-elements.js';
import type { PartChecksum } from './complete-rules.js';

/** Checksums of objects that are uploaded in parts: "Checking object integrity" in AWS's guide. */

/** The kind of checksum that an upload was created with, for its object and each part. */
export interface UploadChecksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly type: ChecksumType;
}

/** The checksum of the object that CompleteMultipartUpload claims. */
export interface ClaimedChecksum extends UploadChecksum {
  /** Base64, of a composite one with or without `-N`. */
  readonly value: string;
}

const ALGORITHM_HEADER = 'x-amz-checksum-algorithm';
const TYPE_HEADER = 'x-amz-checksum-type';

/** The types of each algorithm, the default first. */
const TYPES: Readonly<Record<ChecksumAlgorithm, readonly ChecksumType[]>> = {
  CRC32: ['COMPOSITE', 'FULL_OBJECT'],
  CRC32C: ['COMPOSITE', 'FULL_OBJECT'],
  CRC64NVME: ['FULL_OBJECT'],
  SHA1: ['COMPOSITE'],
  SHA256: ['COMPOSITE'],
};

const ALGORITHMS = Object.keys(TYPES) as ChecksumAlgorithm[];

/**
 * The checksum that CreateMultipartUpload asks for.
 *
 * @returns undefined when it asks for none
 * @throws S3Error `InvalidRequest` for an algorithm that is none of ours, and for a type that is none
 *   or that the algorithm does not have
 */
export function parseUploadChecksum(headers: HeaderMap): UploadChecksum | undefined {
  const type = parseType(headers);
  const name = headers.get(ALGORITHM_HEADER);
  if (name === undefined) {
    if (type === undefined) return undefined;
    throw new S3Error(
      'InvalidRequest',
      `The ${TYPE_HEADER} header can only be used with the ${ALGORITHM_HEADER} header.`,
    );
  }
  const algorithm = ALGORITHMS.find((known) => known === name.toUpperCase());
  if (algorithm === undefined) {
    throw new S3Error(
      'InvalidRequest',
      `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${ALGORITHMS.join(', ')}]`,
    );
  }
  return withType(algorithm, type);
}

/**
 * The object's checksum as CompleteMultipartUpload claims it.
 *
 * @param created what the upload was created with
 * @throws S3Error `InvalidRequest` for another algorithm or type than the upload's, and for several
 */
export function parseClaimedChecksum(
  headers: HeaderMap,
  created: UploadChecksum | undefined,
): ClaimedChecksum | undefined {
  const type = parseType(headers);
  if (type !== undefined && created !== undefined && type !== created.type) {
    throw new S3Error(
      'InvalidRequest',
      `The upload was created using the ${created.type} checksum mode. The complete request must use the same checksum mode.`,
    );
  }
  const found = ALGORITHMS.flatMap((algorithm) => {
    const value = headers.get(`x-amz-checksum-${algorithm.toLowerCase()}`);
    return value === undefined ? [] : [{ algorithm, value }];
  });
  const [claimed] = found;
  if (claimed === undefined) return undefined;
  if (found.length > 1) {
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    );
  }
  if (created !== undefined) requireAlgorithm(created.algorithm, claimed.algorithm);
  return { ...withType(claimed.algorithm, created?.type ?? type), value: claimed.value };
}

/**
 * Holds the checksum of a part against its upload: an object's checksum needs one of each part, of
 * the same algorithm. An upload without any takes parts with all kinds.
 *
 * @throws S3Error `InvalidRequest`, as AWS
 */
export function requirePartChecksum(
  upload: UploadChecksum | undefined,
  part: PartChecksum | undefined,
): void {
  if (upload !== undefined) requireAlgorithm(upload.algorithm, part?.algorithm);
}

/** `ALGORITHM:TYPE`: how an open upload keeps it. */
export function encodeUploadChecksum({ algorithm, type }: UploadChecksum): string {
  return `${algorithm}:${type}`;
}

/** @returns undefined when there is none, or nothing that {@link encodeUploadChecksum} made */
export function decodeUploadChecksum(text: string | undefined): UploadChecksum | undefined {
  for (const algorithm of ALGORITHMS) {
    for (const type of TYPES[algorithm]) {
      if (text === encodeUploadChecksum({ algorithm, type })) return { algorithm, type };
    }
  }
  return undefined;
}

function parseType(headers: HeaderMap): ChecksumType | undefined {
  const value = headers.get(TYPE_HEADER)?.toUpperCase();
  if (value === undefined || value === 'COMPOSITE' || value === 'FULL_OBJECT') return value;
  throw new S3Error('InvalidRequest', `Value for ${TYPE_HEADER} header is invalid.`);
}

function withType(
  algorithm: ChecksumAlgorithm,
  type = TYPES[algorithm][0] ?? 'FULL_OBJECT',
): UploadChecksum {
  if (TYPES[algorithm].includes(type)) return { algorithm, type };
  throw new S3Error(
    'InvalidRequest',
    `The ${type} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
  );
}

function requireAlgorithm(
  expected: ChecksumAlgorithm,
  actual: ChecksumAlgorithm | undefined,
): void {
  if (expected === actual) return;
  throw new S3Error(
    'InvalidRequest',
    `Checksum Type mismatch occurred, expected checksum Type: ${expected.toLowerCase()}, actual checksum Type: ${actual?.toLowerCase() ?? 'null'}`,
  );
}
