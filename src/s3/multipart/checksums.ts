import type { ByteRange, ObjectBody, ObjectRef } from '../../backend/backend.js';
import type { DigestFactory } from '../../digest/body-digest.js';
import type { ChecksumAlgorithm } from '../../digest/checksum.js';
import { combineCrcs, compositeChecksum, type CrcAlgorithm } from '../../digest/combine.js';
import { requireChecksumValue } from '../auth/body-checksums.js';
import { S3Error } from '../errors.js';
import type { RequestContext } from '../operation.js';
import type { UploadedPart } from '../rules/complete-rules.js';
import type { ClaimedChecksum, UploadChecksum } from '../rules/upload-checksum.js';
import type { ChecksumType, ResultChecksum } from '../xml/checksum-elements.js';

/**
 * The checksum of an object from those of its parts.
 *
 * An upload that was created without one may be completed with a checksum all the same. AWS ignores
 * it; here it is verified where all parts came with one of that algorithm, and ignored else.
 *
 * @param created what the upload was created with
 * @param claimed what the client says that it is
 * @returns undefined when there is none
 * @throws S3Error `InvalidRequest` when a part has none of the upload's algorithm, or what the client
 *   says is no checksum; `BadDigest` when it is not what the client says
 */
export function objectChecksum(
  created: UploadChecksum | undefined,
  claimed: ClaimedChecksum | undefined,
  parts: readonly UploadedPart[],
): ResultChecksum | undefined {
  if (claimed !== undefined) requireValue(claimed);
  if (created !== undefined) return verified(created.algorithm, [created.type], claimed, parts);
  if (claimed === undefined) return undefined;
  const { algorithm, type } = claimed;
  if (parts.some((part) => part.checksum?.algorithm !== algorithm)) return undefined;
  // The checksum's type is unknown here, unless the header names it.
  const types: ChecksumType[] = isCrc(algorithm) ? [type, 'FULL_OBJECT'] : [type];
  return verified(algorithm, types, claimed, parts);
}

function requireValue({ algorithm, value }: ClaimedChecksum): void {
  const name = `x-amz-checksum-${algorithm.toLowerCase()}`;
  requireChecksumValue(name, algorithm, withoutCount(value), 'header');
}

/** The first one that is what the client says. */
function verified(
  algorithm: ChecksumAlgorithm,
  types: readonly ChecksumType[],
  claimed: ClaimedChecksum | undefined,
  parts: readonly UploadedPart[],
): ResultChecksum {
  const pieces = parts.map((part) => ({ value: valueOf(part, algorithm), size: part.size }));
  for (const type of types) {
    const value = valueOfWhole(algorithm, type, pieces);
    const isRight =
      claimed === undefined || claimed.value === value || claimed.value === withoutCount(value);
    if (isRight) return { algorithm, type, value };
  }
  throw new S3Error(
    'BadDigest',
    `The ${algorithm} you specified did not match the calculated checksum.`,
  );
}

function valueOfWhole(
  algorithm: ChecksumAlgorithm,
  type: ChecksumType,
  pieces: readonly { readonly value: string; readonly size: number }[],
): string {
  if (type === 'FULL_OBJECT') return combineCrcs(requireCrc(algorithm), pieces);
  const values = pieces.map((piece) => piece.value);
  return `${compositeChecksum(algorithm, values)}-${pieces.length}`;
}

function valueOf({ partNumber, checksum }: UploadedPart, algorithm: ChecksumAlgorithm): string {
  if (checksum?.algorithm === algorithm) return checksum.value;
  throw new S3Error(
    'InvalidRequest',
    `Every part needs a ${algorithm.toLowerCase()} checksum. It was missing for part ${partNumber}.`,
  );
}

/** The value of a composite checksum without `-N`, as some clients send it. */
function withoutCount(value: string): string {
  return value.split('-', 1)[0] ?? value;
}

function isCrc(algorithm: ChecksumAlgorithm): algorithm is CrcAlgorithm {
  return algorithm !== 'SHA1' && algorithm !== 'SHA256';
}

/** Requires a CRC: by the rules of uploads, no other algorithm has the type FULL_OBJECT. */
function requireCrc(algorithm: ChecksumAlgorithm): CrcAlgorithm {
  if (isCrc(algorithm)) return algorithm;
  throw new Error(`${algorithm} of a whole does not follow from that of its parts`);
}

interface StoredBytes {
  readonly algorithm: ChecksumAlgorithm;
  /** Undefined: all of them. */
  readonly range: ByteRange | undefined;
  /** Unquoted: of the object that is meant. */
  readonly etag: string;
}

/**
 * The checksum of bytes that are in the store, by reading them.
 * @returns base64; undefined when the object has another ETag by now
 * @throws BackendError NoSuchContainer, NoSuchObject
 */
export async function checksumOfStored(
  { services, call }: RequestContext,
  ref: ObjectRef,
  { algorithm, range, etag }: StoredBytes,
): Promise<string | undefined> {
  const asked = range && { first: range.start, last: range.end };
  const { head, body } = await services.backend.getObject(call, ref, asked);
  try {
    return head.etag === etag ? await checksumOf(services.digests, algorithm, body) : undefined;
  } finally {
    body.cancel();
  }
}

async function checksumOf(
  digests: DigestFactory,
  algorithm: ChecksumAlgorithm,
  { length, source }: ObjectBody,
): Promise<string | undefined> {
  const digest = digests.create({ md5: false, sha256: false, checksum: algorithm }, length);
  try {
    if (Buffer.isBuffer(source)) await digest.update(source);
    else for await (const chunk of source) await digest.update(chunk);
    return (await digest.finish()).checksum;
  } finally {
    digest.abort();
  }
}
