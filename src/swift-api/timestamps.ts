/** Swift's forms of a time, from milliseconds since the epoch. */

/** `X-Timestamp`: seconds with five decimals. */
export function swiftTimestamp(ms: number): string {
  return `${Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, '0')}00`;
}

/** `Last-Modified`: the next whole second, so that nothing is newer than it says. */
export function lastModified(ms: number): string {
  return new Date(Math.ceil(ms / 1000) * 1000).toUTCString();
}

/** The time in listings: ISO 8601 in UTC, six decimals, no zone. */
export function listingTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000`;
}
