import type { WriteOrder } from '../backend.js';
import { BackendError } from '../errors.js';

/**
 * Swift's times as the interface tells them: whole milliseconds since the epoch, floored, so that
 * one write has one number wherever it is read. Swift counts in units of 10 microseconds.
 */

/**
 * An `X-Timestamp`: seconds with five decimals, maybe followed by `_` and an offset that orders
 * Swift's own rewrites of one instant. Taken apart as text: 1795160050.291 * 1000 is less than
 * 1795160050291.
 * @throws BackendError Corrupt
 */
export function readTimestamp(text: string | undefined): number {
  const [, seconds, fraction] = /^(\d{1,12})(?:\.(\d{1,9}))?(?:_|$)/.exec(text ?? '') ?? [];
  if (seconds === undefined) throw new BackendError('Corrupt', `no timestamp of Swift: ${text}`);
  return Number(seconds) * 1000 + Number((fraction ?? '').padEnd(3, '0').slice(0, 3));
}

/** How a listing's time begins and what of it counts: `2026-11-20T07:34:10.291`. */
const LISTING_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}/;

/**
 * The `last_modified` of a listing: ISO 8601 in UTC with six decimals and no zone. Taken apart by
 * hand, since a listing has a thousand of them, and Date.parse takes twice the time.
 * @throws BackendError Corrupt
 */
export function readListingTime(text: string): number {
  if (!LISTING_TIME.test(text)) throw new BackendError('Corrupt', `no time of a listing: ${text}`);
  return Date.UTC(
    digits(text, 0) * 100 + digits(text, 2),
    digits(text, 5) - 1,
    digits(text, 8),
    digits(text, 11),
    digits(text, 14),
    digits(text, 17),
    digits(text, 20) * 10 + text.charCodeAt(22) - ZERO,
  );
}

const ZERO = 48;

/** Two of them. */
function digits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}

/**
 * The last of Swift's times that {@link readTimestamp} takes for this one.
 * @param time - milliseconds since the epoch
 */
export function notNewerThan(time: number): string {
  const seconds = Math.floor(time / 1000);
  return `${seconds}.${String(time % 1000).padStart(3, '0')}99`;
}

/**
 * The `X-Timestamp` of a write with a place: behind all that {@link readTimestamp} takes for its
 * time, by an offset, which Swift compares after the time and does not tell.
 */
export function orderedAt({ since, rank }: WriteOrder): string {
  return `${notNewerThan(since)}_${rank.toString(16).padStart(OFFSET_DIGITS, '0')}`;
}

const OFFSET_DIGITS = 16;

/** Units of Swift's in a second. */
const UNITS = 100_000;

/**
 * The least of Swift's times that is later than an `X-Timestamp`.
 * @throws BackendError Corrupt
 */
export function justAfter(text: string | undefined): string {
  const [, seconds, fraction] = /^(\d{1,10})\.(\d{5})(?:_|$)/.exec(text ?? '') ?? [];
  if (seconds === undefined) throw new BackendError('Corrupt', `no timestamp of Swift: ${text}`);
  const units = Number(seconds) * UNITS + Number(fraction) + 1;
  const [whole, rest] = [Math.floor(units / UNITS), units % UNITS];
  return `${String(whole).padStart(10, '0')}.${String(rest).padStart(5, '0')}`;
}
