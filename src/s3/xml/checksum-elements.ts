import type { ChecksumAlgorithm } from '../../digest/checksum.js';
import type { PartChecksum } from '../rules/complete-rules.js';
import { invalidArgument } from '../rules/query-parameters.js';
import { S3Error } from '../errors.js';
import { element, optionalElement } from './escape.js';
import { optionalChildText, type XmlElement } from './parse.js';

/** `<ChecksumCRC32>` and its like, in requests and results. */

export type ChecksumType = 'COMPOSITE' | 'FULL_OBJECT';

export interface ResultChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Base64; of a composite one with `-N`. */
  readonly value: string;
  /** Left out of results on parts, which are always whole. */
  readonly type?: ChecksumType | undefined;
}

const PREFIX = 'Checksum';

const DIGEST_BYTES: Readonly<Record<ChecksumAlgorithm, number>> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  SHA1: 20,
  SHA256: 32,
};

const BY_ELEMENT: ReadonlyMap<string, ChecksumAlgorithm> = new Map(
  (Object.keys(DIGEST_BYTES) as ChecksumAlgorithm[]).map((algorithm) => [
    PREFIX + algorithm,
    algorithm,
  ]),
);

/** Nothing for undefined. */
export function renderChecksum(checksum: ResultChecksum | undefined): string {
  if (checksum === undefined) return '';
  return (
    element(PREFIX + checksum.algorithm, checksum.value) +
    optionalElement('ChecksumType', checksum.type)
  );
}

/** Whether it is for {@link parseChecksum} to read. */
export function isChecksumElement(name: string): boolean {
  return name.startsWith(PREFIX);
}

/**
 * The checksum among the children of a part.
 * @throws S3Error `InvalidArgument` for several, and for what is no digest in base64;
 *   `NotImplemented` for another algorithm, which could not be verified
 */
export function parseChecksum(part: XmlElement): PartChecksum | undefined {
  const names = part.children.map(({ name }) => name).filter(isChecksumElement);
  const [name] = names;
  if (name === undefined) return undefined;
  const algorithm = BY_ELEMENT.get(name);
  if (algorithm === undefined) throw new S3Error('NotImplemented', `${name} is not implemented.`);
  const value = optionalChildText(part, name)?.trim() ?? '';
  if (names.length > 1 || !isBase64(value, DIGEST_BYTES[algorithm])) {
    const message = 'Invalid Base64 or multiple checksums present in request';
    throw invalidArgument('Checksum', value, message);
  }
  return { algorithm, value };
}

/** Exactly as an encoder would write that many bytes. */
function isBase64(text: string, bytes: number): boolean {
  const decoded = Buffer.from(text, 'base64');
  return decoded.length === bytes && decoded.toString('base64') === text;
}
