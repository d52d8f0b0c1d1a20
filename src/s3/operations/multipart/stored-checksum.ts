import type { ByteRange, ObjectBody, ObjectRef } from '../../../backend/backend.js';
import type { DigestFactory } from '../../../digest/body-digest.js';
import type { ChecksumAlgorithm } from '../../../digest/checksum.js';
import type { RequestContext } from '../../operation.js';

export interface StoredBytes {
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
