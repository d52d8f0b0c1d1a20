import { BackendError } from '../errors.js';
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
