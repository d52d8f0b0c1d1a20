/**
 * Names of metadata as parts of header names, and back.
 *
 * Swift's s3api writes the `_` of a name as `=5F`, since WSGI cannot tell `_` from `-`; so do we, so
 * that each reads what the other wrote. `=` cannot stand in the name of a header (RFC 9110 section
 * 5.1; Node's parser ends the connection): whatever cannot is percent-encoded between gateway and
 * proxy, where the filter translates both ways. Without the filter it is kept in that form, which
 * reads back the same here, but for which nobody else has a use.
 */

const ENCODER = new TextEncoder();

/** All that stands for itself: `tchar` of RFC 9110 but `%` and `_`. */
const PLAIN = /^[a-z0-9!#$&'*+.^`|~-]+$/;
const TOKEN = /^[A-Za-z0-9!#$&'*+.^`|~-]$/;

/** @param name as in the interface: lower case, without prefix */
export function encodeHeaderName(name: string): string {
  if (PLAIN.test(name)) return name;
  let encoded = '';
  for (const byte of ENCODER.encode(name.replaceAll('=', '=3d').replaceAll('_', '=5f'))) {
    const character = String.fromCharCode(byte);
    encoded += TOKEN.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return encoded;
}

/** @param encoded in lower case, without prefix */
export function decodeHeaderName(encoded: string): string {
  if (!encoded.includes('%')) return encoded;
  return percentDecoded(encoded).replaceAll('=5f', '_').replaceAll('=3d', '=');
}

/** What is no percent-encoding is what a client of Swift called it. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
