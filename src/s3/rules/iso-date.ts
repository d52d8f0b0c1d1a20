/**
 * Dates in requests: ISO 8601 in its extended form, as XML Schema's `date` and `dateTime` have it
 * (RFC 3339 with the time left out, or its zone, which is UTC then).
 */

const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))?)?$/;

/** A date with time and zone. */
const DATE_TIME = /T.*(?:Z|[+-]\d{2}:\d{2})$/;

const MS_PER_MINUTE = 60_000;

/** @returns milliseconds since the epoch, cut to whole ones; undefined for anything else */
export function parseIsoDate(text: string): number | undefined {
  const match = DATE.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits: string | undefined) => Number(digits ?? 0));
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // Days that the month does not have roll over.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second, milliseconds(match[7]));
  const offset = offsetMinutes(match[8], match[9], match[10]);
  return offset === undefined ? undefined : date.getTime() - offset * MS_PER_MINUTE;
}

/**
 * The `date-time` of RFC 3339, whose letters may be lower case: for dates that decide about data,
 * where no part may have a default.
 *
 * @returns milliseconds since the epoch, cut to whole ones; undefined for anything else
 */
export function parseDateTime(text: string): number | undefined {
  const upperCase = text.toUpperCase();
  return DATE_TIME.test(upperCase) ? parseIsoDate(upperCase) : undefined;
}

function milliseconds(fraction: string | undefined): number {
  return fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'));
}

function offsetMinutes(
  sign: string | undefined,
  hours: string | undefined,
  minutes: string | undefined,
): number | undefined {
  if (sign === undefined) return 0;
  const offset = Number(hours) * 60 + Number(minutes);
  if (Number(hours) > 14 || Number(minutes) > 59) return undefined;
  return sign === '-' ? -offset : offset;
}
