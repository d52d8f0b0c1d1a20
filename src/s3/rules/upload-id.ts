import { randomBytes } from 'node:crypto';
import { S3Error } from '../errors.js';

/**
 * Upload ids. Ours are 32 lower-case hexadecimal characters:
 *
 *     milliseconds since the epoch (12) | random (20)
 *
 * so that uploads of one key sort by their initiation, as AWS lists them, wherever a store sorts
 * names. They are short because they are part of the names of segments, which Swift bounds at 1024
 * bytes together with the key. 80 random bits keep two uploads of one millisecond apart.
 *
 * Accepted is what any writer of the same containers mints: Swift's s3api has base64 in the
 * alphabet of URLs, 48 characters.
 */

const TIME_DIGITS = 12;
const RANDOM_BYTES = 10;

/**
 * The beginnings of all ids ever minted: ours begin with the time, `01` from 2004 to 2039 and `02`
 * to 2074; those of s3api with the base64 of a hexadecimal digit.
 */
export const UPLOAD_ID_BEGINNINGS = ['01', '02', 'M', 'N', 'O', 'Y', 'Z'] as const;

const LENGTH_MIN = 32;
const LENGTH_MAX = 128;

const UNDERSCORE = 0x5f;
const HYPHEN = 0x2d;

/** @param initiatedAt milliseconds since the epoch */
export function mintUploadId(initiatedAt: number): string {
  const time = Math.floor(initiatedAt).toString(16).padStart(TIME_DIGITS, '0');
  return time + randomBytes(RANDOM_BYTES).toString('hex');
}

/** 32 to 128 of `A-Z a-z 0-9 _ -`: nothing that could be a path within the segments' container. */
export function isUploadId(text: string): boolean {
  if (text.length < LENGTH_MIN || text.length > LENGTH_MAX) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const letter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    const digit = code >= 0x30 && code <= 0x39;
    if (!letter && !digit && code !== UNDERSCORE && code !== HYPHEN) return false;
  }
  return true;
}

/** The answer for an upload that is not there. */
export function noSuchUpload(uploadId: string): S3Error {
  return new S3Error('NoSuchUpload', undefined, { UploadId: uploadId });
}
