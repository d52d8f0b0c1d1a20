import type { ByteRange, ObjectRef } from '../../../backend/backend.js';
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
  if (head.etag !== etag) {
    body.cancel();
    return undefined;
  }
  const digest = services.digests.create(
    { md5: false, sha256: false, checksum: algorithm },
    body.length,
  );
  try {
    const { source } = body;
    if (Buffer.isBuffer(source)) await digest.update(source);
    else for await (const chunk of source) await digest.update(chunk);
    return (await digest.finish()).checksum;
  } finally {
    digest.abort();
  }
}
