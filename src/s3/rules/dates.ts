/**
 * The two forms of time on the wire: HTTP dates (RFC 9110 section 5.6.7) and the ISO form of
 * listings (SPEC.md 2.4). Both have whole seconds. A listing formats a thousand of them, hence the
 * caches: the date part per day, the time part from a table.
 */

const MS_PER_SECOND = 1000;
const SECONDS_PER_DAY = 86_400;
/** Days whose text is remembered; then it starts over. */
const CACHED_DAYS_MAX = 512;

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const TWO_DIGITS = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));

interface DayText {
  /** `1994-11-06` */
  readonly iso: string;
  /** `Sun, 06 Nov 1994` */
  readonly http: string;
}

const dayTexts = new Map<number, DayText>();
let lastSecond = Number.NaN;
let lastHttpDate = '';
/** Neighbours of a listing were often written in the same second. */
let lastIsoSecond = Number.NaN;
let lastIsoDate = '';

/** `1994-11-06T08:49:37.000Z`; milliseconds since the epoch are cut to the second. */
export function formatIsoDate(ms: number): string {
  const second = Math.floor(ms / MS_PER_SECOND);
  if (second === lastIsoSecond) return lastIsoDate;
  const day = Math.floor(second / SECONDS_PER_DAY);
  lastIsoDate = `${dayText(day).iso}T${clock(second - day * SECONDS_PER_DAY)}.000Z`;
  lastIsoSecond = second;
  return lastIsoDate;
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`; milliseconds since the epoch are cut to the second. */
export function formatHttpDate(ms: number): string {
  const second = Math.floor(ms / MS_PER_SECOND);
  if (second === lastSecond) return lastHttpDate;
  const day = Math.floor(second / SECONDS_PER_DAY);
  lastHttpDate = `${dayText(day).http} ${clock(second - day * SECONDS_PER_DAY)} GMT`;
  lastSecond = second;
  return lastHttpDate;
}

/**
 * Reads the three forms that RFC 9110 asks recipients to accept.
 * @returns milliseconds since the epoch; undefined for anything else, which the caller ignores
 */
export function parseHttpDate(text: string): number | undefined {
  const comma = text.indexOf(',');
  if (comma === -1) return parseAsctime(text);
  if (!text.endsWith(' GMT') || text[comma + 1] !== ' ') return undefined;
  const weekday = text.slice(0, comma);
  const rest = text.slice(comma + 2, -4);
  return comma === 3 ? parseFixdate(weekday, rest) : parseRfc850(weekday, rest);
}

/** `Sun`, `06 Nov 1994 08:49:37` */
function parseFixdate(weekday: string, rest: string): number | undefined {
  if (!isWeekday(weekday) || rest.length !== 20) return undefined;
  if (rest[2] !== ' ' || rest[6] !== ' ' || rest[11] !== ' ') return undefined;
  return compose(rest.slice(7, 11), rest.slice(3, 6), rest.slice(0, 2), rest.slice(12));
}

/** `Sunday`, `06-Nov-94 08:49:37`: two digits of a year are the nearest one not far ahead. */
function parseRfc850(weekday: string, rest: string): number | undefined {
  if (!isWeekday(weekday.slice(0, 3)) || !weekday.endsWith('day')) return undefined;
  if (rest.length !== 18 || rest[2] !== '-' || rest[6] !== '-' || rest[9] !== ' ') return undefined;
  const year = digits(rest.slice(7, 9));
  const century = year < 70 ? 2000 : 1900;
  return compose(String(century + year), rest.slice(3, 6), rest.slice(0, 2), rest.slice(10));
}

/** `Sun Nov  6 08:49:37 1994` */
function parseAsctime(text: string): number | undefined {
  if (text.length !== 24 || !isWeekday(text.slice(0, 3)) || text[3] !== ' ') return undefined;
  if (text[7] !== ' ' || text[10] !== ' ' || text[19] !== ' ') return undefined;
  const day = text[8] === ' ' ? `0${text[9] ?? ''}` : text.slice(8, 10);
  return compose(text.slice(20), text.slice(4, 7), day, text.slice(11, 19));
}

/** Undefined unless every part is digits where digits belong and the day exists. */
function compose(year: string, month: string, day: string, time: string): number | undefined {
  if (time.length !== 8 || time[2] !== ':' || time[5] !== ':') return undefined;
  const monthIndex = MONTHS.indexOf(month);
  const dayNumber = digits(day);
  const hour = digits(time.slice(0, 2));
  const minute = digits(time.slice(3, 5));
  const second = digits(time.slice(6));
  // Second 60 is a leap second, which clocks of computers count as the next one's 0.
  if (monthIndex === -1 || !(hour < 24 && minute < 60 && second <= 60)) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(digits(year), monthIndex, dayNumber);
  if (date.getUTCDate() !== dayNumber || date.getUTCMonth() !== monthIndex) return undefined;
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * MS_PER_SECOND;
}

/** NaN when something else than decimal digits stands there. */
function digits(text: string): number {
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

function isWeekday(text: string): boolean {
  return (WEEKDAYS as readonly string[]).includes(text);
}

function dayText(day: number): DayText {
  let text = dayTexts.get(day);
  if (text === undefined) {
    const date = new Date(day * SECONDS_PER_DAY * MS_PER_SECOND);
    const iso = date.toISOString().slice(0, 10);
    text = { iso, http: date.toUTCString().slice(0, 16) };
    if (dayTexts.size >= CACHED_DAYS_MAX) dayTexts.clear();
    dayTexts.set(day, text);
  }
  return text;
}

function clock(secondOfDay: number): string {
  const hour = Math.floor(secondOfDay / 3600);
  const minute = Math.floor(secondOfDay / 60) % 60;
  return `${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(secondOfDay % 60)}`;
}

function twoDigits(value: number): string {
  return TWO_DIGITS[value] ?? '';
}
