import { combineCrcs, compositeChecksum, type CrcAlgorithm } from '../../../digest/combine.js';
import type { ChecksumAlgorithm } from '../../../digest/checksum.js';
import type { UploadedPart } from '../../rules/complete-rules.js';
import type { ClaimedChecksum, UploadChecksum } from '../../rules/upload-checksum.js';
import { S3Error } from '../../s3-error.js';
import type { ResultChecksum } from '../../xml/checksum-elements.js';

/**
 * The checksum of an object from those of its parts.
 *
 * @param created what the upload was created with
 * @param claimed what the client says that it is
 * @returns undefined when neither asks for one
 * @throws S3Error `InvalidRequest` when a part has none of that algorithm; `BadDigest` when it is
 *   not what the client says
 */
export function objectChecksum(
  created: UploadChecksum | undefined,
  claimed: ClaimedChecksum | undefined,
  parts: readonly UploadedPart[],
): ResultChecksum | undefined {
  const wanted = created ?? claimed;
  if (wanted === undefined) return undefined;
  const { algorithm, type } = wanted;
  const pieces = parts.map((part) => ({ value: valueOf(part, algorithm), size: part.size }));
  const value =
    type === 'COMPOSITE'
      ? `${compositeChecksum(
          algorithm,
          pieces.map((piece) => piece.value),
        )}-${pieces.length}`
      : combineCrcs(requireCrc(algorithm), pieces);
  if (claimed !== undefined && claimed.value !== value && claimed.value !== withoutCount(value)) {
    throw new S3Error(
      'BadDigest',
      `The ${algorithm} you specified did not match the calculated checksum.`,
    );
  }
  return { algorithm, type, value };
}

function valueOf({ partNumber, checksum }: UploadedPart, algorithm: ChecksumAlgorithm): string {
  if (checksum?.algorithm === algorithm) return checksum.value;
  throw new S3Error(
    'InvalidRequest',
    `Every part needs a ${algorithm.toLowerCase()} checksum. It was missing for part ${partNumber}.`,
  );
}

/** Of a composite one without `-N`, as some clients send it. */
function withoutCount(value: string): string {
  return value.split('-', 1)[0] ?? value;
}

/** By the rules of uploads, no other algorithm has the type FULL_OBJECT. */
function requireCrc(algorithm: ChecksumAlgorithm): CrcAlgorithm {
  if (algorithm === 'SHA1' || algorithm === 'SHA256') {
    throw new Error(`${algorithm} of a whole does not follow from that of its parts`);
  }
  return algorithm;
}
