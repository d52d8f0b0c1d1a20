import { createHash } from 'node:crypto';
import type { ByteSource } from '../../lib/cancellation.js';
import type { Metadata, ObjectSeal, PutObjectInput } from '../backend.js';
import { bodyMismatch, isSized, type Intake } from '../body-intake.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';
import { joined } from '../metadata-patch.js';
import { listingHeaders } from './listing-requests.js';
import type { MetadataLimits } from './metadata-headers.js';
import { isMd5, putHeaders } from './stored-object.js';
import type { RequestHeaders } from './transport.js';

/**
 * Headers that are known only when the body has been read. The filter in the proxies (ops/swift/)
 * takes them from the end of the body, `X-Gateway-Footers` bytes that count neither as content nor
 * as Content-Length, and hands them to the object servers as footers of the PUT.
 */

/**
 * Their room, announced before they are known: an ETag, 256 bytes of listing attributes and the
 * checksum of a seal are a tenth of it.
 */
export const FOOTERS_BYTES = 4096;

export const FOOTERS_HEADER = 'x-gateway-footers';

const BLANK = 0x20;

/** @throws BackendError Unsupported when they are more than was announced */
export function encodeFooters(headers: RequestHeaders): Buffer {
  const footers = Buffer.alloc(FOOTERS_BYTES, BLANK);
  const text = JSON.stringify(headers);
  const bytes = Buffer.byteLength(text);
  if (bytes > FOOTERS_BYTES) {
    const detail = `what is known at the end of a body is ${bytes} bytes, over ${FOOTERS_BYTES}`;
    throw new BackendError('Unsupported', detail);
  }
  footers.write(text);
  return footers;
}

/**
 * A body whose last byte is held back until its source has ended where it should and `atEnd` is
 * done. Swift stores nothing of a PUT that ends before its Content-Length, so whatever fails until
 * then, or is not as it has to be, has no effect. A body of unknown size holds nothing back: it is sent
 * in chunks, and the one that says that it was the last is sent when this body ends.
 *
 * @param intake - of one byte or more, where its size is known
 * @param atEnd - called once, when all bytes are there; what it gives is sent behind them
 * @throws BackendError BodyMismatch; what the body or `atEnd` throws; the reason of the signal
 */
export async function* heldBody(
  intake: Intake,
  atEnd: () => Promise<Buffer | undefined>,
): AsyncGenerator<Buffer> {
  if (!isSized(intake)) {
    yield* unsizedBody(intake, atEnd);
    return;
  }
  const { body, size, context } = intake;
  // A copy, because the source may use the chunk's memory again before the byte is sent.
  const last = Buffer.alloc(1);
  let received = 0;
  for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
    throwIfAborted(context);
    received += chunk.length;
    if (received > size) throw bodyMismatch(size, received);
    if (chunk.length === 0) continue;
    if (received < size) {
      yield chunk;
      continue;
    }
    chunk.copy(last, 0, chunk.length - 1);
    if (chunk.length > 1) yield chunk.subarray(0, -1);
  }
  if (received < size) throw bodyMismatch(size, received);
  throwIfAborted(context);
  const trailer = await atEnd();
  yield trailer === undefined ? last : Buffer.concat([last, trailer]);
}

async function* unsizedBody(
  { body, context }: Intake,
  atEnd: () => Promise<Buffer | undefined>,
): AsyncGenerator<Buffer> {
  for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
    throwIfAborted(context);
    if (chunk.length > 0) yield chunk;
  }
  throwIfAborted(context);
  const trailer = await atEnd();
  if (trailer !== undefined) yield trailer;
}

/** A body that is sent as it comes, and what is known of it then. */
interface SealedStream {
  readonly body: Buffer | ByteSource;
  /** The seal, to be called once, after the body was read; undefined when there is none. */
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

/** A seal, as footers of the body. */
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
