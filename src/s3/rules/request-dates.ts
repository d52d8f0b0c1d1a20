import { parseHttpDate } from './dates.js';

/** The dates in headers of requests, which clients write in more forms than HTTP has. */

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
 * Reads a date in a header of a request: those of HTTP, RFC 5322's in UTC, ISO 8601's long form and
 * that of {@link parseAmzDate}. One reader for signatures and conditions.
 * @returns undefined when the text is none of these
 */
export function parseRequestDate(text: string): number | undefined {
  const time = parseHttpDate(text) ?? parseAmzDate(text);
  if (time !== undefined) return time;
  const [, day, rest] = MAIL_DATE.exec(text) ?? [];
  // The weekday says nothing that the date does not.
  if (day !== undefined) return parseHttpDate(`Sun, ${day.padStart(2, '0')} ${rest ?? ''} GMT`);
  if (!LONG_ISO_DATE.test(text)) return undefined;
  return parse(text.replace(LONG_ISO_DATE, '$1$2$3T$4$5$6Z'));
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
