import { crc32 } from 'node:zlib';
import { S3Error } from '../errors.js';

/**
 * Continuation tokens: opaque to clients, and all that a listing needs to go on, so that any
 * listener of any host can.
 *
 *     base64url( version byte | CRC-32 of the marker | marker, UTF-8 )
 *
 * The checksum tells a token from a key that a client passed in its place. It protects nothing: a
 * client that may list could also choose a `start-after`.
 */

const VERSION = 1;
const HEADER_BYTES = 5;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `marker`: the listing goes on strictly after it. */
export function encodeContinuationToken(marker: string): string {
  const text = Buffer.from(marker, 'utf8');
  const token = Buffer.allocUnsafe(HEADER_BYTES + text.length);
  token.writeUInt8(VERSION, 0);
  token.writeUInt32BE(crc32(text), 1);
  text.copy(token, HEADER_BYTES);
  return token.toString('base64url');
}

/** @throws S3Error `InvalidArgument` for anything that {@link encodeContinuationToken} did not make */
export function decodeContinuationToken(token: string): string {
  const bytes = Buffer.from(token, 'base64url');
  const marker = bytes.subarray(HEADER_BYTES);
  if (
    bytes.length < HEADER_BYTES ||
    bytes.readUInt8(0) !== VERSION ||
    bytes.readUInt32BE(1) !== crc32(marker) ||
    // Node skips what is no base64url.
    bytes.toString('base64url') !== token
  ) {
    throw incorrectToken(token);
  }
  try {
    return utf8.decode(marker);
  } catch {
    throw incorrectToken(token);
  }
}

function incorrectToken(token: string): S3Error {
  return new S3Error('InvalidArgument', 'The continuation token provided is incorrect', {
    ArgumentName: 'continuation-token',
    ArgumentValue: token,
  });
}
