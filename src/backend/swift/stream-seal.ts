import { createHash } from 'node:crypto';
import type { ByteSource } from '../../lib/byte-source.js';
import type { Metadata, ObjectSeal, PutObjectInput } from '../backend.js';
import { BackendError } from '../errors.js';
import { joined } from '../metadata-patch.js';
import { listingHeaders } from './listing-entry.js';
import { isMd5 } from './md5.js';
import { putHeaders } from './stored-object.js';
import type { RequestHeaders } from './transport.js';
import type { MetadataLimits } from './user-metadata.js';

/** A body that is sent as it comes, and what is known of it then. */
export interface SealedStream {
  readonly body: Buffer | ByteSource;
  /** To be called once, when all of it was read; undefined when nothing has to be said then. */
  readonly seal: (() => ObjectSeal) | undefined;
}

/**
 * A listing shows an object's MD5 and its attributes in one field, so that who has attributes has to
 * say the MD5 as well: it is the seal's, or taken here.
 */
export function sealedStream({ body, seal, listingAttributes }: PutObjectInput): SealedStream {
  const needsMd5 = hasNames(listingAttributes);
  if (seal === undefined && needsMd5) return hashedStream(body);
  if (seal === undefined) return { body, seal };
  const checked = (): ObjectSeal => {
    const sealed = seal();
    const isKnown = sealed.etag !== undefined;
    if (!isKnown && (needsMd5 || hasNames(sealed.listingAttributes))) {
      const detail = 'the seal of a long body with listing attributes has to say its ETag';
      throw new BackendError('Unsupported', detail);
    }
    return sealed;
  };
  return { body, seal: checked };
}

/** What a seal says, as footers of the body. */
export function sealFooters(
  seal: ObjectSeal,
  given: Metadata | undefined,
  limits: MetadataLimits,
): RequestHeaders {
  const { etag } = seal;
  const md5 = etag !== undefined && isMd5(etag) ? etag : undefined;
  const named = md5 === undefined ? etag : undefined;
  const attributes = joined(given, seal.listingAttributes);
  return {
    ...putHeaders({ systemMetadata: seal.systemMetadata, etag: named }, limits),
    ...listingHeaders({ md5, etag: named, attributes }),
    ...(md5 !== undefined && { etag: md5 }),
  };
}

function hashedStream(body: Buffer | ByteSource): SealedStream {
  const md5 = createHash('md5');
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
      md5.update(chunk);
      yield chunk;
    }
  }
  return { body: hashed(), seal: () => ({ etag: md5.digest('hex') }) };
}

function hasNames(values: Metadata | undefined): boolean {
  return values !== undefined && Object.keys(values).length > 0;
}
