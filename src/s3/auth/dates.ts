import { S3Error } from '../errors.js';

/** How long signatures hold. Times are milliseconds since the epoch. */

/** `YYYYMMDDTHHMMSSZ` */
export function formatAmzDate(time: number): string {
  return `${new Date(time).toISOString().replaceAll(/[-:]/g, '').slice(0, 15)}Z`;
}

/** `YYYY-MM-DDTHH:MM:SSZ`, as error documents give times. */
export function formatIsoSeconds(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** How far a client's clock may be off (AWS's value; SPEC.md 5.1 leaves the size open). */
const SKEW_MS_MAX = 15 * 60 * 1000;

/**
 * @param requestTime the client's, in milliseconds
 * @param requestTimeText the same as it was sent
 * @throws S3Error RequestTimeTooSkewed
 */
export function requireSmallSkew(requestTime: number, requestTimeText: string, now: number): void {
  if (Math.abs(now - requestTime) <= SKEW_MS_MAX) return;
  throw new S3Error('RequestTimeTooSkewed', undefined, {
    RequestTime: requestTimeText,
    ServerTime: formatIsoSeconds(now),
    MaxAllowedSkewMilliseconds: String(SKEW_MS_MAX),
  });
}

/**
 * A presigned URL holds from its date (which a fast clock may have set a little ahead) until its
 * expiry.
 * @throws S3Error AccessDenied with AWS's texts (SPEC.md 5.1)
 */
export function requireValidNow(requestTime: number, expiresS: number, now: number): void {
  const expiresAt = requestTime + expiresS * 1000;
  if (requestTime > now + SKEW_MS_MAX) {
    throw new S3Error('AccessDenied', 'Request is not yet valid', {
      'X-Amz-Date': String(requestTime),
      Expires: formatIsoSeconds(expiresAt),
      ServerTime: formatIsoSeconds(now),
    });
  }
  if (now >= expiresAt) {
    throw new S3Error('AccessDenied', 'Request has expired', {
      'X-Amz-Expires': String(expiresS),
      Expires: formatIsoSeconds(expiresAt),
      ServerTime: formatIsoSeconds(now),
    });
  }
}

/**
 * A URL presigned with version 2 names the time of its end, and no beginning.
 * @param expiresAt milliseconds
 * @throws S3Error AccessDenied with AWS's text
 */
export function requireNotExpired(expiresAt: number, now: number): void {
  if (now < expiresAt) return;
  throw new S3Error('AccessDenied', 'Request has expired', {
    Expires: formatIsoSeconds(expiresAt),
    ServerTime: formatIsoSeconds(now),
  });
}
