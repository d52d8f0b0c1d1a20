import { S3Error } from '../errors.js';
import { parseHttpDate } from '../rules/dates.js';

/** The dates of signed requests. Times are milliseconds since the epoch. */

const ZERO = 0x30;
const NINE = 0x39;
/** `20130524T000000Z` */
const AMZ_DATE_LENGTH = 16;

/**
 * A date of RFC 5322 in UTC, whose zone has many spellings: HTTP allows `GMT` alone, but Python's
 * `formatdate` writes `-0000`, and AWS's own examples `+0000`. Weekday and leading zero may be absent.
 */
const MAIL_DATE =
  /^(?:[A-Z][a-z]{2}, )?(\d{1,2}) ([A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2}) (?:GMT|UTC|UT|Z|[+-]00:?00)$/;
/** ISO 8601 in its long form, in UTC; fractions of a second are not signed with. */
const LONG_ISO_DATE =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|[+-]00:?00)$/;

/** Most requests are signed within the second of the one before. */
let lastText = '';
let lastTime: number | undefined;

/** @returns undefined when the text is not a date of the form `YYYYMMDDTHHMMSSZ` */
export function parseAmzDate(text: string): number | undefined {
  if (text !== lastText) {
    lastTime = parse(text);
    lastText = text;
  }
  return lastTime;
}

/**
 * Reads the date that a request names: {@link parseAmzDate}'s form, ISO 8601's long one, those of
 * HTTP, and RFC 5322's in UTC. One reader for the signatures of versions 2 and 4.
 * @returns undefined when the text is none of these
 */
export function parseRequestDate(text: string): number | undefined {
  const time = parseAmzDate(text);
  if (time !== undefined) return time;
  const [, day, rest] = MAIL_DATE.exec(text) ?? [];
  // The weekday says nothing that the date does not.
  if (day !== undefined) return parseHttpDate(`Sun, ${day.padStart(2, '0')} ${rest ?? ''} GMT`);
  if (LONG_ISO_DATE.test(text)) return parse(text.replace(LONG_ISO_DATE, '$1$2$3T$4$5$6Z'));
  return parseHttpDate(text);
}

function parse(text: string): number | undefined {
  if (text.length !== AMZ_DATE_LENGTH || text[8] !== 'T' || text[15] !== 'Z') return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 4, 6);
  const day = digits(text, 6, 8);
  const hour = digits(text, 9, 11);
  const minute = digits(text, 11, 13);
  const second = digits(text, 13, 15);
  if (!(month >= 1 && hour < 24 && minute < 60 && second < 60)) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // Days that the month does not have roll over; -1 from a non-digit does too.
  if (date.getUTCDate() !== day || date.getUTCMonth() !== month - 1) return undefined;
  return date.getUTCFullYear() === year ? date.getTime() : undefined;
}

/** `YYYYMMDDTHHMMSSZ` */
export function formatAmzDate(time: number): string {
  return `${new Date(time).toISOString().replaceAll(/[-:]/g, '').slice(0, 15)}Z`;
}

/** `YYYY-MM-DDTHH:MM:SSZ`, as error documents give times. */
export function formatIsoSeconds(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** @returns -1 when one of the characters is not a digit */
function digits(text: string, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code < ZERO || code > NINE) return -1;
    value = value * 10 + (code - ZERO);
  }
  return value;
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
