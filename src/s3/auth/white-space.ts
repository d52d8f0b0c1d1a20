const TAB = 0x09;
const SPACE = 0x20;

/**
 * Trims the white space of HTTP (RFC 9110 section 5.6.3) at both ends, like signers do.
 * `String.trim` would also remove Unicode's white space, which is part of the value.
 */
export function trimWhiteSpace(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isWhiteSpace(value.charCodeAt(start))) start += 1;
  while (end > start && isWhiteSpace(value.charCodeAt(end - 1))) end -= 1;
  return value.slice(start, end);
}

function isWhiteSpace(code: number): boolean {
  return code === SPACE || code === TAB;
}
