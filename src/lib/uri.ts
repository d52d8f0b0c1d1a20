/**
 * The one URI codec: used by the endpoint parser, the signer, the XML documents and the clients of
 * stores. No `URL` anywhere: it collapses `..` and `//`, which are ordinary parts of S3 keys.
 *
 * Raw text is what stands in a request line: printable ASCII with `%XX` escapes. Anything else in
 * it (spaces, control characters, bare UTF-8) is not a URI (RFC 3986 section 2), and is refused.
 */

export interface QueryParameter {
  readonly name: string;
  /** Undefined when there is no `=`, as in `?acl`. */
  readonly value: string | undefined;
  readonly rawName: string;
  readonly rawValue: string | undefined;
}

/** One row per byte: whether it stands for itself (RFC 3986 `unreserved`). */
const UNRESERVED = new Uint8Array(256);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~') {
  UNRESERVED[character.charCodeAt(0)] = 1;
}

/** The same, and `/`: what {@link encodeUriPath} leaves as it is. */
export const UNRESERVED_OR_SLASH = UNRESERVED.slice();
UNRESERVED_OR_SLASH['/'.charCodeAt(0)] = 1;

const PERCENT = 0x25;
const FIRST_PRINTABLE = 0x21;
const LAST_PRINTABLE = 0x7e;

/** `%00` to `%FF`. */
const ESCAPES: readonly string[] = Array.from(
  { length: 256 },
  (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);

const NO_PARAMETERS: readonly QueryParameter[] = Object.freeze([]);

/**
 * Decodes `%XX` escapes; `+` stays `+`.
 * @returns undefined when an escape is malformed, when the escaped bytes are not valid UTF-8
 *   (overlong forms and surrogates included), or when the text is not printable ASCII
 */
export function decodeUriComponentStrict(raw: string): string | undefined {
  let escaped = false;
  for (let i = 0; i < raw.length; i++) {
    const code = raw.charCodeAt(i);
    if (code < FIRST_PRINTABLE || code > LAST_PRINTABLE) return undefined;
    if (code === PERCENT) escaped = true;
  }
  return escaped ? percentDecoded(raw) : raw;
}

/**
 * Decodes `%XX` escapes in any text.
 * @returns undefined when an escape is malformed, or the escaped bytes are not valid UTF-8
 */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Like {@link decodeUriComponentStrict}, but `+` is a space. This is HTML form encoding, which S3
 * and its clients use in queries and never in paths. SDKs write `%20` and `%2B`, so it only matters
 * for queries written by hand or by a form.
 */
export function decodeQueryComponent(raw: string): string | undefined {
  return decodeUriComponentStrict(raw.includes('+') ? raw.replaceAll('+', '%20') : raw);
}

/**
 * Escapes everything but RFC 3986 `unreserved` and `/`, in upper-case hex of its UTF-8: the form
 * that AWS signs. A lone surrogate becomes U+FFFD, as everywhere where text turns into UTF-8.
 */
export function encodeUriPath(text: string): string {
  return encode(text, UNRESERVED_OR_SLASH);
}

/** Whether a raw path is its own canonical form, so that it need not be decoded and encoded. */
export function isCanonicalPath(raw: string): boolean {
  return isLiteral(raw, UNRESERVED_OR_SLASH);
}

/** Like {@link encodeUriPath}, but `/` is escaped too: AWS's `UriEncode` of names and values. */
export function encodeUriComponentAws(text: string): string {
  return encode(text, UNRESERVED);
}

/**
 * Splits and decodes a raw query (without its `?`), in the order sent. Empty pieces (`a&&b`) are
 * skipped.
 * @returns undefined when a name or a value cannot be decoded: the request is `InvalidURI`
 */
export function parseQuery(rawQuery: string): readonly QueryParameter[] | undefined {
  if (rawQuery === '') return NO_PARAMETERS;
  const parameters: QueryParameter[] = [];
  let start = 0;
  while (start <= rawQuery.length) {
    let end = rawQuery.indexOf('&', start);
    if (end === -1) end = rawQuery.length;
    if (end > start) {
      const parameter = parseParameter(rawQuery, start, end);
      if (parameter === undefined) return undefined;
      parameters.push(parameter);
    }
    start = end + 1;
  }
  return parameters;
}

function parseParameter(query: string, start: number, end: number): QueryParameter | undefined {
  const equals = query.indexOf('=', start);
  const hasValue = equals !== -1 && equals < end;
  const rawName = query.slice(start, hasValue ? equals : end);
  const rawValue = hasValue ? query.slice(equals + 1, end) : undefined;
  const name = decodeQueryComponent(rawName);
  if (name === undefined) return undefined;
  if (rawValue === undefined) return { name, value: undefined, rawName, rawValue };
  const value = decodeQueryComponent(rawValue);
  return value === undefined ? undefined : { name, value, rawName, rawValue };
}

function encode(text: string, literal: Uint8Array): string {
  if (isLiteral(text, literal)) return text;
  const bytes = Buffer.from(text, 'utf8');
  let encoded = '';
  for (const byte of bytes) {
    encoded += literal[byte] === 1 ? String.fromCharCode(byte) : (ESCAPES[byte] ?? '');
  }
  return encoded;
}

function isLiteral(text: string, literal: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) {
    // Codes above 255 read past the table: undefined, which is not 1.
    if (literal[text.charCodeAt(i)] !== 1) return false;
  }
  return true;
}
