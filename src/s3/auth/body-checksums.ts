import { CHECKSUM_BYTES, type ChecksumAlgorithm } from '../../digest/checksum.js';
import type { HeaderMap } from '../../http/exchange.js';
import { S3Error } from '../errors.js';

/** The digests of the body that the client's headers claim; malformed ones are refused. */
export interface BodyChecksums {
  /** The MD5 from Content-MD5, in base64. */
  readonly md5: string | undefined;
  readonly checksum: ExpectedChecksum | undefined;
}

export interface ExpectedChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** The name of the header or trailer. */
  readonly name: string;
  /** Base64; undefined when the trailer brings it. */
  readonly value: string | undefined;
}

const MD5_BYTES = 16;
const HEADER_PREFIX = 'x-amz-checksum-';

const ALGORITHMS: readonly ChecksumAlgorithm[] = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'];

const BY_NAME: ReadonlyMap<string, ChecksumAlgorithm> = new Map(
  ALGORITHMS.map((algorithm) => [`${HEADER_PREFIX}${algorithm.toLowerCase()}`, algorithm]),
);

const SEVERAL =
  'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.';
const BESIDE_TRAILER = 'Expecting a single x-amz-checksum- header';

/** Headers with the family's prefix that are no checksum of the body. */
const NOT_OF_BODY: ReadonlySet<string> = new Set([
  'x-amz-checksum-algorithm',
  'x-amz-checksum-mode',
  'x-amz-checksum-type',
]);

/** The sources of the body's checksums. */
export interface ChecksumSources {
  /** Whether `x-amz-checksum-*` headers speak of this body; a trailer always does. */
  readonly readsHeaders: boolean;
  /** The body is framed so that a trailer can come. */
  readonly mayHaveTrailer: boolean;
}

/**
 * Reads the checksums in AWS's order: checks of the headers together come before checks of each.
 * @throws S3Error InvalidDigest (Content-MD5), InvalidRequest, MalformedTrailerError
 */
export function readBodyChecksums(
  headers: HeaderMap,
  { readsHeaders, mayHaveTrailer }: ChecksumSources,
): BodyChecksums {
  const md5 = headers.get('content-md5');
  if (md5 !== undefined && !isBase64(md5, MD5_BYTES)) {
    throw new S3Error('InvalidDigest', undefined, { 'Content-MD5': md5 });
  }
  const trailers = announcedChecksums(headers.get('x-amz-trailer'));
  const known = checksumHeaders(headers);
  const given = readsHeaders ? known : [];
  if (given.length > 1 || trailers.length > 1) throw new S3Error('InvalidRequest', SEVERAL);
  if (given.length + trailers.length > 1) throw new S3Error('InvalidRequest', BESIDE_TRAILER);
  // It would never arrive: a client that waits for its verification must hear of it.
  if (trailers.length > 0 && !mayHaveTrailer) throw new S3Error('MalformedTrailerError');
  const checksum = given[0] ?? trailers[0];
  if (checksum?.value !== undefined) {
    requireChecksumValue(checksum.name, checksum.algorithm, checksum.value, 'header');
  }
  if (readsHeaders) {
    requireConsistency(headers.get('x-amz-sdk-checksum-algorithm'), checksum?.algorithm);
  }
  return { md5, checksum };
}

/** @throws S3Error InvalidRequest when the value cannot be a digest of that algorithm */
export function requireChecksumValue(
  name: string,
  algorithm: ChecksumAlgorithm,
  value: string,
  where: 'header' | 'trailing header',
): void {
  if (isBase64(value, CHECKSUM_BYTES[algorithm])) return;
  throw new S3Error('InvalidRequest', `Value for ${name} ${where} is invalid.`);
}

/** @throws S3Error InvalidRequest: to store one unverified would be worse than to refuse it */
function checksumHeaders(headers: HeaderMap): ExpectedChecksum[] {
  const found: ExpectedChecksum[] = [];
  for (const [name, value] of headers) {
    if (!name.startsWith(HEADER_PREFIX) || NOT_OF_BODY.has(name)) continue;
    const algorithm = BY_NAME.get(name);
    if (algorithm === undefined) {
      throw new S3Error(
        'InvalidRequest',
        'The algorithm type you specified in x-amz-checksum- header is invalid.',
      );
    }
    found.push({ algorithm, name, value });
  }
  return found;
}

/**
 * Checksums are the only trailers that S3 knows. Commas at the end mean nothing to AWS; but one with
 * nothing before it announces a trailer without a name.
 * @throws S3Error InvalidRequest
 */
function announcedChecksums(trailer: string | undefined): ExpectedChecksum[] {
  if (trailer === undefined) return [];
  const names = trailer.trim().replace(/,+$/, '').split(',');
  return names.map((name) => announcedChecksum(name.trim().toLowerCase()));
}

function announcedChecksum(trailer: string): ExpectedChecksum {
  const algorithm = BY_NAME.get(trailer);
  if (algorithm === undefined) {
    throw new S3Error(
      'InvalidRequest',
      'The value specified in the x-amz-trailer header is not supported',
    );
  }
  return { algorithm, name: trailer, value: undefined };
}

/** `x-amz-sdk-checksum-algorithm` promises a checksum of that algorithm. */
function requireConsistency(
  promised: string | undefined,
  actual: ChecksumAlgorithm | undefined,
): void {
  if (promised === undefined) return;
  const algorithm = ALGORITHMS.find((known) => known === promised.toUpperCase());
  if (algorithm === undefined) {
    throw new S3Error(
      'InvalidRequest',
      `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${ALGORITHMS.join(', ')}]`,
    );
  }
  if (actual === undefined) {
    throw new S3Error(
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    );
  }
  if (actual !== algorithm) {
    throw new S3Error(
      'InvalidRequest',
      'Value for x-amz-sdk-checksum-algorithm header is invalid.',
    );
  }
}

/** Exactly as an encoder would write that many bytes: padded, no other alphabet, no loose bits. */
function isBase64(text: string, bytes: number): boolean {
  const decoded = Buffer.from(text, 'base64');
  return decoded.length === bytes && decoded.toString('base64') === text;
}
